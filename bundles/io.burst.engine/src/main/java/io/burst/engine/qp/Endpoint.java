package io.burst.engine.qp;

import io.burst.engine.copy.CpuCopyEngine;
import io.burst.engine.wire.PacketWriter;
import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.Transport;
import io.burst.engine.wire.Verdict;
import io.burst.linux.Memory;
import io.burst.spi.CopyEngine;
import io.burst.spi.Frame;
import io.burst.verbs.AsyncEventType;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * All queue pairs of one worker: hands packets to them and collects what they send. Owned by one thread.
 */
public final class Endpoint {
  /** Packets in a row from one queue pair before the next has its turn. */
  private static final int TURN_PACKETS = 16;

  final MemoryTable memory;
  final Counters counters;
  final PacketWriter writer = new PacketWriter();
  final long scratchAddress;

  /** Packets that were parked are read through this, while {@link #packet} may be in use. */
  final RocePacket parkedPacket = new RocePacket();
  final Copies copies;

  private final ByteBuffer scratch = ByteBuffer.allocateDirect(Long.BYTES);

  private final RocePacket packet = new RocePacket();
  private final QueuePairTable queuePairs;
  private final BiConsumer<QueuePairContext, RuntimeException> onDefect;
  private int turn;

  /**
   * @param firstNumber where queue pair numbers start, best different at each start of the service
   * @param onDefect told when a queue pair's code threw, which cost that queue pair its life and no other
   */
  public Endpoint(
      MemoryTable memory,
      Counters counters,
      int firstNumber,
      BiConsumer<QueuePairContext, RuntimeException> onDefect) {
    this(memory, counters, firstNumber, onDefect, new CpuCopyEngine(), new FramePool(new Frame[0]));
  }

  /**
   * @param copyEngine places received bytes
   * @param spareFrames take the place of received frames that it still reads
   */
  public Endpoint(
      MemoryTable memory,
      Counters counters,
      int firstNumber,
      BiConsumer<QueuePairContext, RuntimeException> onDefect,
      CopyEngine copyEngine,
      FramePool spareFrames) {
    this.memory = memory;
    copies = new Copies(copyEngine, spareFrames);
    this.counters = counters;
    this.onDefect = onDefect;
    scratchAddress = Memory.addressOf(scratch);
    queuePairs = new QueuePairTable(firstNumber);
  }

  /** @param transport RC or UC */
  public Connection createConnection(Transport transport, int domain, Queues queues, EventSink events) {
    int number = queuePairs.takeNumber();
    return added(
        switch (transport) {
          case RC -> new ReliableConnection(number, domain, queues, events, this);
          case UC -> new UnreliableConnection(number, domain, queues, events, this);
          default -> throw new IllegalArgumentException("no connections of " + transport);
        });
  }

  public UnreliableDatagram createDatagram(int domain, Queues queues, EventSink events) {
    return added(new UnreliableDatagram(queuePairs.takeNumber(), domain, queues, events, this));
  }

  private <T extends QueuePairContext> T added(T queuePair) {
    queuePairs.add(queuePair);
    return queuePair;
  }

  /** Takes one out; what it has outstanding ends without a completion. */
  public void remove(QueuePairContext queuePair) {
    queuePairs.remove(queuePair);
    queuePair.reset();
  }

  /** Visits every queue pair; the visitor must not create or remove any. */
  public void forEach(Consumer<QueuePairContext> visitor) {
    for (int i = 0; i < queuePairs.count(); i++) {
      visitor.accept(queuePairs.get(i));
    }
  }

  /**
   * Takes a packet that a port received; whatever it holds, only what its queue pair allows has an effect. If the frame
   * is held afterwards, its bytes are still to be copied: the caller goes on with a spare one.
   */
  public void onFrame(Frame frame, long nowNs) {
    counters.increment(Counter.RCVD_PKTS);
    Verdict verdict = packet.wrap(frame.buffer, Frame.HEADROOM_BYTES, frame.lengthBytes);
    if (verdict != Verdict.OK) {
      counters.increment(drop(verdict));
      return;
    }
    QueuePairContext queuePair = queuePairs.find(packet.destinationQpn());
    if (queuePair == null) {
      counters.increment(Counter.RX_UNKNOWN_QP);
      return;
    }
    copies.from(frame);
    try {
      queuePair.onPacket(packet, frame.address, nowNs);
    } catch (RuntimeException e) {
      kill(queuePair, e);
    }
  }

  /** Whether {@link #onTimeout} has to be called soon, since copies end without a packet or a deadline. */
  public boolean hasCopiesUnderWay() {
    return copies.isUnderWay();
  }

  /** What {@link #haveCopiesEnded} takes to ask for all copies that were begun by now. */
  public long copiesBegun() {
    return copies.begun();
  }

  /** Whether none of these copies touches memory any more. */
  public boolean haveCopiesEnded(long before) {
    return copies.haveEnded(before);
  }

  /** Goes on with what has waited for its copies, and retries what has waited too long for its peer. */
  public void onTimeout(long nowNs) {
    copies.poll();
    for (int i = 0; i < queuePairs.count(); i++) {
      QueuePairContext queuePair = queuePairs.get(i);
      try {
        queuePair.onTimeout(nowNs);
      } catch (RuntimeException e) {
        kill(queuePair, e);
      }
    }
  }

  /**
   * Fills frames with packets to send, each queue pair in its turn.
   *
   * @return how many, less than the frames there are only when nothing more is to be sent now
   */
  public int pollTransmit(Frame[] out, long nowNs) {
    int filled = 0;
    int idle = 0;
    while (idle < queuePairs.count() && filled < out.length) {
      if (turn >= queuePairs.count()) {
        turn = 0;
      }
      int before = filled;
      filled = takeTurn(queuePairs.get(turn++), out, filled, nowNs);
      idle = filled == before ? idle + 1 : 0;
    }
    return filled;
  }

  /** When {@link #onTimeout} or {@link #pollTransmit} has something to do even if nothing arrives or is posted. */
  public long nextDeadlineNs() {
    long earliest = Retries.NEVER;
    for (int i = 0; i < queuePairs.count(); i++) {
      earliest = Math.min(earliest, queuePairs.get(i).nextDeadlineNs());
    }
    return earliest;
  }

  private int takeTurn(QueuePairContext queuePair, Frame[] out, int filled, long nowNs) {
    int end = Math.min(out.length, filled + TURN_PACKETS);
    int next = filled;
    try {
      while (next < end && queuePair.pollTransmit(out[next], nowNs)) {
        next++;
      }
    } catch (RuntimeException e) {
      kill(queuePair, e);
    }
    return next;
  }

  private void kill(QueuePairContext queuePair, RuntimeException defect) {
    queuePair.enterError();
    queuePair.raise(AsyncEventType.QUEUE_PAIR_FATAL);
    onDefect.accept(queuePair, defect);
  }

  private static Counter drop(Verdict verdict) {
    switch (verdict) {
      case FOREIGN:
        return Counter.RX_FOREIGN;
      case UNKNOWN_OPCODE:
        return Counter.RX_UNKNOWN_OPCODE;
      case BAD_ICRC:
        return Counter.RX_ICRC_ENCAPSULATED;
      default:
        return Counter.RX_MALFORMED;
    }
  }
}
