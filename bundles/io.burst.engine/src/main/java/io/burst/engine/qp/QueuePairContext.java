package io.burst.engine.qp;

import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.PacketWriter;
import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.Transport;
import io.burst.spi.Frame;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.CompletionOpcode;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import java.util.Set;

/**
 * A queue pair: its state, and what the halves of every service share. Owned by one thread, save the posting side of
 * its queues and {@link #state}, which any thread may read.
 *
 * <p>Times are nanoseconds of one clock that starts near 0 and never goes back.
 */
public abstract class QueuePairContext {
  private static final int MEMBERSHIP_BIT = 0x8000;
  /** Ours is the default partition, full member: it matches either kind of member of the same partition. */
  private static final int DEFAULT_PARTITION = 0x7FFF;

  /** With DF set an IPv4 packet needs no identification (RFC 6864), and a UDP socket would put this one too. */
  private static final int IP_IDENTIFICATION = 0;

  /** As RNICs report it (max_msg_sz). */
  static final long LONGEST_MESSAGE_BYTES = 1L << 31;

  final SendQueue sends;
  final WorkQueue receives;
  final Counters counters;
  /** Eight bytes that an atomic's value is laid out in before it goes to its place. */
  final long scratchAddress;
  int mtuBytes;

  private final int number;
  private final int domain;
  private final CompletionRing sendCompletions;
  private final CompletionRing receiveCompletions;
  private final MemoryTable memory;
  private final PacketWriter writer;

  private volatile QueuePairState state = QueuePairState.RESET;
  private int remoteAccess;
  private Path path;
  private int destinationNumber;

  QueuePairContext(
      int number,
      int domain,
      SendQueue sends,
      WorkQueue receives,
      CompletionRing sendCompletions,
      CompletionRing receiveCompletions,
      Endpoint endpoint) {
    this.number = number;
    this.domain = domain;
    this.sends = sends;
    this.receives = receives;
    this.sendCompletions = sendCompletions;
    this.receiveCompletions = receiveCompletions;
    memory = endpoint.memory;
    counters = endpoint.counters;
    writer = endpoint.writer;
    scratchAddress = endpoint.scratchAddress;
  }

  public int number() {
    return number;
  }

  public QueuePairState state() {
    return state;
  }

  /** Null before RTR. */
  public Path path() {
    return path;
  }

  public int destinationNumber() {
    return destinationNumber;
  }

  public abstract Transport transport();

  /** The next PSN to send. */
  public abstract int sendPsn();

  /** The next PSN expected. */
  public abstract int receivePsn();

  /** Sends posted and not completed. */
  public int outstandingSends() {
    return sends.outstanding();
  }

  public void initialize(Set<AccessFlag> remoteAccess) {
    this.remoteAccess = Region.mask(remoteAccess);
    state = QueuePairState.INIT;
  }

  public void readyToReceive(ReadyToReceive attributes, Path path) {
    this.path = path;
    destinationNumber = attributes.destinationNumber();
    mtuBytes = attributes.pathMtu().bytes();
    startReceiving(attributes);
    state = QueuePairState.READY_TO_RECEIVE;
  }

  public void readyToSend(ReadyToSend attributes) {
    startSending(attributes);
    state = QueuePairState.READY_TO_SEND;
  }

  /** Completes everything outstanding as flushed; what is posted later is flushed too. */
  public void enterError() {
    state = QueuePairState.ERROR;
    flushSends();
    flushReceives();
  }

  /** The send queue stops, what is posted to it is flushed, and receives go on (SQE). */
  void enterSendError() {
    if (state != QueuePairState.ERROR) {
      state = QueuePairState.SEND_QUEUE_ERROR;
    }
    flushSends();
  }

  /**
   * Takes a packet whose lengths and ICRC are right and whose destination is this queue pair's number.
   *
   * @param bufferAddress where the packet's buffer lies in memory
   */
  void onPacket(RocePacket packet, long bufferAddress, long nowNs) {
    Counter refusal = refusal(packet);
    if (refusal != null) {
      counters.increment(refusal);
    } else {
      take(packet, bufferAddress, nowNs);
    }
  }

  /** Writes the next packet; answers first, since the peer waits for them. False when there is none now. */
  boolean pollTransmit(Frame out, long nowNs) {
    if (pollAnswer(out)) {
      return true;
    }
    switch (state) {
      case READY_TO_SEND:
        return pollRequest(out, nowNs);
      case ERROR:
        flushSends();
        flushReceives();
        return false;
      case SEND_QUEUE_ERROR:
        flushSends();
        return false;
      default:
        return false;
    }
  }

  abstract void startReceiving(ReadyToReceive attributes);

  abstract void startSending(ReadyToSend attributes);

  /** Takes a packet of this service from the connection's peer. */
  abstract void take(RocePacket packet, long bufferAddress, long nowNs);

  abstract boolean pollAnswer(Frame out);

  abstract boolean pollRequest(Frame out, long nowNs);

  abstract void onTimeout(long nowNs);

  abstract long nextDeadlineNs();

  /** Completes all sends as flushed. */
  abstract void flushSends();

  /** Completes all receives as flushed. */
  void flushReceives() {
    while (receives.oldest() != receives.posted()) {
      completeReceive(CompletionOpcode.RECEIVE, CompletionStatus.WORK_REQUEST_FLUSHED, 0, null);
    }
  }

  Region find(int key, long address, long lengthBytes, int access) {
    return memory.find(domain, key, address, lengthBytes, access);
  }

  /** Whether the peer may do this through the queue pair. */
  boolean allows(int access) {
    return (remoteAccess & access) == access;
  }

  /** Packets of a message; one of no bytes is one packet too. */
  int packets(long lengthBytes) {
    return lengthBytes == 0 ? 1 : (int) ((lengthBytes - 1) / mtuBytes) + 1;
  }

  PacketWriter begin(Frame out, Opcode opcode, int psn) {
    writer.begin(out.buffer, Frame.HEADROOM_BYTES, path.flow(), opcode, destinationNumber, psn);
    return writer;
  }

  void end(Frame out, int payloadBytes) {
    out.lengthBytes = writer.end(payloadBytes, IP_IDENTIFICATION);
    out.nextHop = path.nextHop();
    counters.increment(Counter.SENT_PKTS);
  }

  /** Completes the oldest send; a silent one only when it failed. */
  void completeSend(CompletionStatus status) {
    long sequence = sends.oldest();
    boolean success = status == CompletionStatus.SUCCESS;
    if (!success) {
      counters.increment(Counter.REQ_CQE_ERROR);
    }
    boolean silent = success && !sends.isSignaled(sequence);
    long workRequestId = sends.workRequestId(sequence);
    CompletionOpcode opcode = sends.opcode(sequence).completion();
    int lengthBytes = (int) sends.totalBytes(sequence);
    sends.freeOldest();
    if (!silent) {
      sendCompletions.push(number, opcode, workRequestId, status, lengthBytes, false, 0);
      checkOverrun(sendCompletions);
    }
  }

  /**
   * Completes the oldest receive.
   *
   * @param packet the one that ended the message and may have an immediate, or null
   */
  void completeReceive(CompletionOpcode opcode, CompletionStatus status, int lengthBytes, RocePacket packet) {
    if (status != CompletionStatus.SUCCESS) {
      counters.increment(Counter.RESP_CQE_ERROR);
    }
    boolean hasImmediate = packet != null && packet.opcode().hasImmediate();
    int immediate = hasImmediate ? packet.immediate() : 0;
    long workRequestId = receives.workRequestId(receives.oldest());
    receives.freeOldest();
    receiveCompletions.push(number, opcode, workRequestId, status, lengthBytes, hasImmediate, immediate);
    checkOverrun(receiveCompletions);
  }

  /** A completion that found no room is lost, and with it the order: nothing more may be executed. */
  private void checkOverrun(CompletionRing ring) {
    if (ring.isOverrun() && state != QueuePairState.ERROR) {
      enterError();
    }
  }

  private boolean receivesPackets() {
    return state == QueuePairState.READY_TO_RECEIVE
        || state == QueuePairState.READY_TO_SEND
        || state == QueuePairState.SEND_QUEUE_ERROR;
  }

  /** Why the packet is dropped without any effect, or null. */
  private Counter refusal(RocePacket packet) {
    if (!receivesPackets()) {
      return Counter.RX_WRONG_STATE;
    }
    if (packet.opcode().transport() != transport()) {
      return Counter.RX_WRONG_TRANSPORT;
    }
    if ((packet.partitionKey() & ~MEMBERSHIP_BIT) != DEFAULT_PARTITION) {
      return Counter.RX_BAD_PKEY;
    }
    return path.isOf(packet) ? null : Counter.RX_WRONG_ADDRESS;
  }
}
