package io.burst.engine.fuzz;

import io.burst.engine.qp.Counter;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.SendOpcode;
import java.util.ArrayList;
import java.util.List;

/**
 * The requester of a reliable connection. It doesn't say when a packet has to go, but of each that goes whether it is
 * the right one, and of each answer what it may change.
 */
final class RequesterModel {
  static final int TIMEOUT = 10;
  static final int RETRIES = 3;
  static final int RNR_RETRIES = 2;

  private static final long TIMEOUT_NS = 4096L << TIMEOUT;
  private static final long LONGEST_TIMEOUT_NS = 4 * TIMEOUT_NS;
  private static final int NEVER_HELD_BACK_PACKETS = 16;
  private static final long NONE = -1;
  private static final int[] RNR_MICROSECONDS = {
    655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920, 2560, 3840, 5120, 7680, 10240, 15360,
    20480, 30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520
  };

  /** A posted send. */
  static final class Work {
    long id;
    SendOpcode opcode;
    int[] offsets;
    int[] lengths;
    int total;
    boolean readable;
    boolean signaled;
    boolean fenced;
    int immediate;
    long address;
    int key;
    long swapOrAdd;
    long compare;
    int invalidateKey;
    /** What a binding makes of the window, or null for one that can't be. */
    Arena.Grant window;
    int windowKey;
    int psn;

    int packets() {
      return opcode.isLocal() ? 0 : opcode.isAtomic() ? 1 : Math.max(1, (total + PairModel.MTU - 1) / PairModel.MTU);
    }

    boolean isReadAnswered() {
      return opcode == SendOpcode.READ || opcode == SendOpcode.ATOMIC_WRITE;
    }
  }

  final List<Work> work = new ArrayList<>();
  private final ReliableModel pair;
  private int numbered;
  private int cursor;
  private int cursorPacket;
  private int cursorPsn;
  int unacked;
  int sent;
  private int retries;
  private int rnrRetries;
  private long implied;
  private boolean waiting;
  private long waitingUntil;
  private long timerStart;

  RequesterModel(ReliableModel pair) {
    this.pair = pair;
  }

  void restart(int psn) {
    // What was posted before the queue pair may send is still there.
    numbered = 0;
    cursor = 0;
    cursorPacket = 0;
    cursorPsn = psn;
    unacked = psn;
    sent = psn;
    implied = NONE;
    waiting = false;
    timerStart = NONE;
    refill();
  }

  /** The oldest request, for those who make up answers. */
  Work oldest() {
    return numbered > 0 ? work.get(0) : null;
  }

  Work at(int psn) {
    for (int i = 0; i < numbered; i++) {
      if (distance(work.get(i).psn, psn) < work.get(i).packets()) {
        return work.get(i);
      }
    }
    return null;
  }

  void sent(Datagram packet, long nowNs) {
    PairModel.require(pair.state == QueuePairState.READY_TO_SEND, "a request in state " + pair.state, packet.opcode);
    PairModel.require(mayGo(nowNs), "a request while it waits", packet.opcode);
    passLocal();
    PairModel.require(cursor < work.size(), "a request that nobody posted", packet.opcode);
    Work now = work.get(cursor);
    PairModel.require(!isHeldBack() && now.readable, "a request too early", packet.opcode);
    PairModel.require(packet.psn == cursorPsn, "a request with the wrong PSN", packet.psn);
    if (cursor == numbered) {
      now.psn = cursorPsn;
      numbered++;
    }
    int packets = check(now, packet);
    boolean again = order(plus(cursorPsn, packets), sent) <= 0;
    cursorPsn = plus(cursorPsn, packets);
    cursorPacket += packets;
    if (cursorPacket >= now.packets()) {
      cursor++;
      cursorPacket = 0;
    }
    if (again) {
      pair.ledger.count(Counter.RETRANSMITTED_PKTS);
    } else {
      sent = cursorPsn;
    }
    if (timerStart == NONE) {
      timerStart = nowNs;
    }
  }

  /** The packets that the request covers: more than one for a READ. */
  private int check(Work now, Datagram packet) {
    int offset = cursorPacket * PairModel.MTU;
    boolean word = now.opcode.isAtomic();
    boolean read = now.opcode == SendOpcode.READ;
    int bytes = word || read ? 0 : Math.min(PairModel.MTU, now.total - offset);
    boolean last = word || read || offset + bytes == now.total;
    PairModel.require(packet.opcode == opcode(now.opcode, offset == 0, last), "the wrong request", packet.opcode);
    PairModel.require(packet.payloadBytes == bytes, "a request's length", packet.payloadBytes);
    gather(now, offset, packet, bytes);
    if (word) {
      boolean compares = now.opcode == SendOpcode.COMPARE_SWAP;
      PairModel.require(
          packet.address() == now.address
              && packet.key() == now.key
              && packet.swapOrAdd() == now.swapOrAdd
              && (!compares || packet.compare() == now.compare),
          "an atomic's header",
          packet.psn);
    } else if (read) {
      int packets = Math.max(1, (int) (packet.lengthBytes() + PairModel.MTU - 1) / PairModel.MTU);
      boolean ends = packet.lengthBytes() == now.total - offset;
      boolean whole = packet.lengthBytes() % PairModel.MTU == 0 && packet.lengthBytes() > 0;
      PairModel.require(
          packet.address() == now.address + offset
              && packet.key() == now.key
              && (ends || whole && packet.lengthBytes() < now.total - offset),
          "a READ's header",
          packet.psn);
      return packets;
    } else if (packet.isWrite() && offset == 0 || packet.kind() == 0x1D) {
      PairModel.require(
          packet.address() == now.address && packet.key() == now.key && packet.lengthBytes() == now.total,
          "a WRITE's header",
          packet.psn);
    }
    PairModel.require(!packet.hasImmediate() || packet.immediate() == now.immediate, "an immediate", packet.psn);
    PairModel.require(!packet.hasInvalidate() || packet.invalidateKey() == now.invalidateKey, "a key", packet.psn);
    return 1;
  }

  private void gather(Work now, int offset, Datagram packet, int bytes) {
    int skip = offset;
    int done = 0;
    for (int i = 0; done < bytes; i++) {
      int run = Math.min(bytes - done, now.lengths[i] - skip);
      if (run > 0) {
        boolean right = pair.arena.holds(now.offsets[i] + skip, packet.buffer, packet.payload + done, run);
        PairModel.require(right, "a request's bytes", packet.psn);
        done += run;
      }
      skip = Math.max(0, skip - now.lengths[i]);
    }
  }

  private static int opcode(SendOpcode opcode, boolean first, boolean last) {
    int only = switch (opcode) {
      case SEND -> 0x04;
      case SEND_WITH_IMMEDIATE -> 0x05;
      case SEND_WITH_INVALIDATE -> 0x17;
      case WRITE -> 0x0A;
      case WRITE_WITH_IMMEDIATE -> 0x0B;
      case READ -> 0x0C;
      case COMPARE_SWAP -> 0x13;
      case FETCH_ADD -> 0x14;
      case ATOMIC_WRITE -> 0x1D;
      default -> throw new AssertionError(opcode + " on the wire");
    };
    if (first && last || opcode == SendOpcode.READ) {
      return only;
    }
    int start = opcode.isWrite() ? 6 : 0;
    return first ? start : !last ? start + 1 : only == 0x17 ? 0x16 : only - 2;
  }

  private boolean mayGo(long nowNs) {
    waiting &= nowNs < waitingUntil;
    return !waiting;
  }

  /** What is done at this end takes no packet. */
  private void passLocal() {
    while (cursor < work.size() && work.get(cursor).opcode.isLocal() && !isHeldBack()) {
      Work now = work.get(cursor);
      if (cursor == numbered) {
        boolean binds = now.opcode == SendOpcode.BIND_MEMORY_WINDOW;
        boolean done = binds ? pair.arena.bind(now) : pair.arena.invalidate(pair.number, now.invalidateKey);
        if (!done) {
          if (cursor == 0) {
            fail(
                binds
                    ? CompletionStatus.MEMORY_WINDOW_BIND_ERROR
                    : CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
          }
          return;
        }
        now.psn = cursorPsn;
        numbered++;
      }
      cursor++;
      completeAcknowledged();
    }
  }

  void idle(long nowNs) {
    if (pair.state != QueuePairState.READY_TO_SEND || !mayGo(nowNs)) {
      return;
    }
    passLocal();
    if (cursor >= work.size() || isHeldBack() || work.get(cursor).opcode.isLocal()) {
      return;
    }
    if (work.get(cursor).readable) {
      PairModel.require(
          distance(unacked, cursorPsn) >= NEVER_HELD_BACK_PACKETS, "nothing is sent of", work.get(cursor).opcode);
    } else if (cursor == 0) {
      fail(CompletionStatus.LOCAL_PROTECTION_ERROR);
    }
  }

  private boolean isHeldBack() {
    Work now = work.get(cursor);
    int underWay = 0;
    for (int i = 0; i < cursor; i++) {
      underWay += work.get(i).opcode.isAnswered() ? 1 : 0;
    }
    return cursorPacket == 0 && now.fenced && underWay > 0
        || now.opcode.isAnswered() && underWay >= ReliableModel.DEPTH;
  }

  void timeout(long nowNs) {
    if (pair.ledger.surplus(Counter.LOCAL_ACK_TIMEOUT_ERR) > 0) {
      PairModel.require(
          timerStart != NONE && nowNs - timerStart >= TIMEOUT_NS, "a time-out too early", nowNs - timerStart);
      pair.ledger.count(Counter.LOCAL_ACK_TIMEOUT_ERR);
      implied = NONE;
      retry(unacked);
    } else {
      PairModel.require(
          timerStart == NONE || nowNs - timerStart < LONGEST_TIMEOUT_NS, "no time-out after", nowNs - timerStart);
    }
  }

  void take(Datagram packet, long nowNs) {
    int psn = packet.psn;
    boolean underWay = distance(unacked, psn) < distance(unacked, sent);
    Work now = underWay ? at(psn) : null;
    boolean stale =
        switch (packet.kind()) {
          case 0x11 -> !underWay || packet.syndrome() >> 5 == 2 || packet.syndrome() > 0x63;
          case 0x12 -> now == null || !now.opcode.isAtomic();
          default -> now == null || !now.isReadAnswered();
        };
    if (packet.kind() == 0x11 && underWay && !stale) {
      acknowledge(psn, packet.syndrome(), nowNs);
    } else if (stale) {
      pair.ledger.count(Counter.RX_STALE_RESPONSE);
    } else if (acknowledgeUpTo(psn, nowNs)) {
      answer(now, packet, nowNs);
    }
  }

  private void acknowledge(int psn, int syndrome, long nowNs) {
    if (syndrome < 0x20) {
      acknowledgeUpTo(plus(psn, 1), nowNs);
    } else if (syndrome < 0x40) {
      pair.ledger.count(Counter.RCVD_RNR_ERR);
      boolean known = waiting && psn == unacked;
      if (!known && acknowledgeUpTo(psn, nowNs)) {
        notReady(psn, nowNs + RNR_MICROSECONDS[syndrome & 0x1F] * 1000L);
      }
    } else if (syndrome == 0x60) {
      pair.ledger.count(Counter.PACKET_SEQ_ERR);
      if (!waiting && acknowledgeUpTo(psn, nowNs)) {
        retry(psn);
      }
    } else if (acknowledgeUpTo(psn, nowNs)) {
      fail(
          syndrome == 0x61
              ? CompletionStatus.REMOTE_INVALID_REQUEST
              : syndrome == 0x62 ? CompletionStatus.REMOTE_ACCESS_ERROR : CompletionStatus.REMOTE_OPERATION_ERROR);
    }
  }

  private void answer(Work now, Datagram packet, long nowNs) {
    if (now.opcode.isAtomic()) {
      pair.arena.expectLong(now.offsets[0], packet.original());
    } else {
      int offset = distance(now.psn, packet.psn) * PairModel.MTU;
      int bytes = now.opcode == SendOpcode.READ ? Math.min(PairModel.MTU, now.total - offset) : 0;
      if (packet.payloadBytes != bytes) {
        fail(CompletionStatus.BAD_RESPONSE);
        return;
      }
      int skip = offset;
      int done = 0;
      for (int i = 0; done < bytes; i++) {
        int run = Math.min(bytes - done, now.lengths[i] - skip);
        if (run > 0) {
          pair.arena.expect(now.offsets[i] + skip, packet.buffer, packet.payload + done, run);
          done += run;
        }
        skip = Math.max(0, skip - now.lengths[i]);
      }
    }
    acknowledgeBefore(plus(packet.psn, 1), nowNs);
  }

  private boolean acknowledgeUpTo(int psn, long nowNs) {
    int missing = firstUnanswered(psn);
    acknowledgeBefore(missing, nowNs);
    if (missing == psn) {
      return true;
    }
    if (implied != missing && !waiting) {
      pair.ledger.count(Counter.IMPLIED_NAK_SEQ_ERR);
      implied = missing;
      retry(missing);
    }
    return false;
  }

  private int firstUnanswered(int before) {
    for (int i = 0; i < numbered; i++) {
      int first = order(work.get(i).psn, unacked) < 0 ? unacked : work.get(i).psn;
      if (order(first, before) >= 0) {
        return before;
      }
      if (work.get(i).opcode.isAnswered()) {
        return first;
      }
    }
    return before;
  }

  private void acknowledgeBefore(int psn, long nowNs) {
    if (psn == unacked) {
      return;
    }
    unacked = psn;
    implied = NONE;
    refill();
    completeAcknowledged();
    if (order(psn, cursorPsn) > 0) {
      seek(psn);
    }
    timerStart = unacked == cursorPsn ? NONE : nowNs;
  }

  private void completeAcknowledged() {
    while (numbered > 0 && distance(work.get(0).psn, unacked) >= work.get(0).packets()) {
      Work done = work.remove(0);
      numbered--;
      cursor--;
      if (done.signaled) {
        Integer bytes = done.opcode == SendOpcode.READ ? done.total : null;
        pair.sendsDone.expect(new Ledger.Due(done.id, CompletionStatus.SUCCESS, bytes, null, null));
      }
    }
  }

  private void notReady(int psn, long untilNs) {
    if (rnrRetries-- == 0) {
      pair.ledger.count(Counter.RNR_NAK_RETRY_ERR);
      fail(CompletionStatus.RECEIVER_NOT_READY_RETRY_EXCEEDED);
      return;
    }
    seek(psn);
    waiting = true;
    waitingUntil = untilNs;
    timerStart = NONE;
  }

  private void retry(int psn) {
    if (retries-- == 0) {
      pair.ledger.count(Counter.RETRY_EXCEEDED_ERR);
      fail(CompletionStatus.RETRY_EXCEEDED);
      return;
    }
    seek(psn);
    timerStart = NONE;
  }

  private void seek(int psn) {
    cursorPsn = psn;
    for (int i = 0; i < numbered; i++) {
      int packet = distance(work.get(i).psn, psn);
      if (packet < work.get(i).packets()) {
        cursor = i;
        cursorPacket = packet;
        return;
      }
    }
    cursor = numbered;
    cursorPacket = 0;
  }

  private void refill() {
    retries = RETRIES;
    rnrRetries = RNR_RETRIES;
  }

  private void fail(CompletionStatus status) {
    complete(status);
    pair.enterError();
  }

  void flush() {
    while (!work.isEmpty()) {
      complete(CompletionStatus.WORK_REQUEST_FLUSHED);
    }
    numbered = 0;
    cursor = 0;
    timerStart = NONE;
    waiting = false;
  }

  private void complete(CompletionStatus status) {
    pair.ledger.count(Counter.REQ_CQE_ERROR);
    pair.sendsDone.expect(Ledger.Due.failed(work.remove(0).id, status));
  }

  private static int distance(int from, int to) {
    return to - from & 0xFF_FFFF;
  }

  private static int order(int a, int b) {
    return PairModel.order(a, b);
  }

  private static int plus(int psn, int count) {
    return PairModel.plus(psn, count);
  }
}
