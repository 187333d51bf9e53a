package io.burst.engine.fuzz;

import io.burst.engine.qp.Counter;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.QueuePairState;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** What every queue pair should do, by the rules and not by the engine's code: its state, receives, and peer. */
abstract class PairModel {
  static final int MTU = 256;

  /** A posted receive, its pieces in the arena. */
  record Receive(long id, int[] offsets, int[] lengths, boolean writable) {
    int room() {
      int sum = 0;
      for (int length : lengths) {
        sum += length;
      }
      return sum;
    }
  }

  final Arena arena;
  final Ledger ledger;
  final Ledger.Queue sendsDone = new Ledger.Queue();
  final Ledger.Queue receivesDone = new Ledger.Queue();
  final ArrayDeque<Receive> receives = new ArrayDeque<>();
  final int service;
  final int number;
  final int local;
  final int remote;
  QueuePairState state;
  /** What the peer may do, as in {@link Arena}. */
  int rights;
  Receive held;
  private boolean heard;

  PairModel(Arena arena, Ledger ledger, int service, int number, int local, int remote) {
    this.arena = arena;
    this.ledger = ledger;
    this.service = service;
    this.number = number;
    this.local = local;
    this.remote = remote;
  }

  void restart(int rights) {
    this.rights = rights;
    state = QueuePairState.READY_TO_RECEIVE;
    heard = false;
    receives.clear();
    held = null;
    sendsDone.forget();
    receivesDone.forget();
  }

  /** A packet to this queue pair, itself without defects. */
  final void receive(Datagram packet, long nowNs) {
    long drops = 0;
    boolean listens =
        state == QueuePairState.READY_TO_RECEIVE
            || state == QueuePairState.READY_TO_SEND
            || state == QueuePairState.SEND_QUEUE_ERROR;
    drops |= listens ? 0 : bit(Counter.RX_WRONG_STATE);
    drops |= packet.opcode >> 5 == service ? 0 : bit(Counter.RX_WRONG_TRANSPORT);
    drops |= (packet.partition & 0x7FFF) == 0x7FFF ? 0 : bit(Counter.RX_BAD_PKEY);
    drops |= foreign(packet);
    if (drops != 0) {
      ledger.countOneOf(drops);
    } else {
      take(packet, nowNs);
    }
  }

  /** The counters that may say why a packet isn't from the peer. */
  long foreign(Datagram packet) {
    return packet.source == remote && packet.destination == local ? 0 : bit(Counter.RX_WRONG_ADDRESS);
  }

  abstract void take(Datagram packet, long nowNs);

  /** A packet that it sent. */
  abstract void sent(Datagram packet, long nowNs);

  /** It has sent all that it wants to send now. */
  abstract void idle(long nowNs);

  abstract void flushSends();

  void timeout(long nowNs) {
  }

  /** A request of the peer was taken. */
  final void hear() {
    if (!heard && state == QueuePairState.READY_TO_RECEIVE) {
      heard = true;
      tell(AsyncEventType.COMMUNICATION_ESTABLISHED);
    }
  }

  void enterError() {
    state = QueuePairState.ERROR;
    flush();
  }

  final void flush() {
    flushSends();
    while (hold()) {
      failReceive(CompletionStatus.WORK_REQUEST_FLUSHED);
    }
  }

  final boolean hold() {
    if (held == null) {
      held = receives.poll();
    }
    return held != null;
  }

  final void failReceive(CompletionStatus status) {
    ledger.count(Counter.RESP_CQE_ERROR);
    receivesDone.expect(Ledger.Due.failed(held.id, status));
    held = null;
  }

  final void completeReceive(Datagram packet, int bytes, boolean immediate) {
    receivesDone.expect(
        new Ledger.Due(
            held.id,
            CompletionStatus.SUCCESS,
            bytes,
            immediate ? packet.immediate() : null,
            packet.hasInvalidate() ? packet.invalidateKey() : null));
    held = null;
  }

  final void scatter(int start, ByteBuffer from, int index, int count) {
    int skip = start;
    int done = 0;
    for (int i = 0; done < count; i++) {
      int run = Math.min(count - done, held.lengths[i] - skip);
      if (run > 0) {
        arena.expect(held.offsets[i] + skip, from, index + done, run);
        done += run;
      }
      skip = Math.max(0, skip - held.lengths[i]);
    }
  }

  final void tell(AsyncEventType event) {
    ledger.expect(event);
  }

  static long bit(Counter counter) {
    return 1L << counter.ordinal();
  }

  static int order(int a, int b) {
    return (a - b) << 8 >> 8;
  }

  static int plus(int psn, int count) {
    return psn + count & 0xFF_FFFF;
  }

  static void require(boolean right, String complaint, Object detail) {
    if (!right) {
      throw new AssertionError(complaint + ": " + detail);
    }
  }
}
