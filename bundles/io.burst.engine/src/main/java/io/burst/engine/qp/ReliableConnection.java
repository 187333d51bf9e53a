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
 * A queue pair of the reliable connected service: its state, and what its two halves share. Owned by one thread, save
 * the posting side of its queues and {@link #state}, which any thread may read.
 *
 * <p>Times are nanoseconds of one clock that starts near 0 and never goes back.
 */
public final class ReliableConnection {
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
  private final Requester requester;
  private final Responder responder;

  private volatile QueuePairState state = QueuePairState.RESET;
  private int remoteAccess;
  private Path path;
  private int destinationNumber;

  ReliableConnection(
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
    requester = new Requester(this);
    responder = new Responder(this);
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

  public int sendPsn() {
    return requester.nextPsn();
  }

  public int receivePsn() {
    return responder.expectedPsn();
  }

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
    responder.start(attributes);
    state = QueuePairState.READY_TO_RECEIVE;
  }

  public void readyToSend(ReadyToSend attributes) {
    requester.start(attributes);
    state = QueuePairState.READY_TO_SEND;
  }

  /** Completes everything outstanding as flushed; what is posted later is flushed by {@link #pollTransmit}. */
  public void enterError() {
    state = QueuePairState.ERROR;
    requester.flush();
    responder.flush();
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
    } else if (packet.opcode().isRequest()) {
      responder.onRequest(packet, bufferAddress + packet.payloadOffset());
    } else {
      onResponse(packet, bufferAddress, nowNs);
    }
  }

  private void onResponse(RocePacket packet, long bufferAddress, long nowNs) {
    switch (packet.opcode().operation()) {
      case ACKNOWLEDGE:
        requester.onAcknowledge(packet, nowNs);
        break;
      case ATOMIC_ACKNOWLEDGE:
        requester.onAtomicAcknowledge(packet, nowNs);
        break;
      case READ_RESPONSE:
        requester.onReadResponse(packet, bufferAddress + packet.payloadOffset(), nowNs);
        break;
      default:
        throw new IllegalStateException(packet.opcode() + " is no response");
    }
  }

  void onTimeout(long nowNs) {
    requester.onTimeout(nowNs);
  }

  long nextDeadlineNs() {
    return requester.nextDeadlineNs();
  }

  /** Writes the next packet; answers first, since the peer waits for them. False when there is none now. */
  boolean pollTransmit(Frame out, long nowNs) {
    if (responder.pollTransmit(out)) {
      return true;
    }
    switch (state) {
      case READY_TO_SEND:
        return requester.pollTransmit(out, nowNs);
      case ERROR:
        requester.flush();
        responder.flush();
        return false;
      default:
        return false;
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

  void completeSend(CompletionOpcode opcode, long workRequestId, CompletionStatus status, int lengthBytes) {
    sendCompletions.push(number, opcode, workRequestId, status, lengthBytes, false, 0);
    checkOverrun(sendCompletions);
  }

  void completeReceive(
      CompletionOpcode opcode,
      long workRequestId,
      CompletionStatus status,
      int lengthBytes,
      boolean hasImmediate,
      int immediate) {
    receiveCompletions.push(number, opcode, workRequestId, status, lengthBytes, hasImmediate, immediate);
    checkOverrun(receiveCompletions);
  }

  /** A completion that found no room is lost, and with it the order: nothing more may be executed. */
  private void checkOverrun(CompletionRing ring) {
    if (ring.isOverrun() && state != QueuePairState.ERROR) {
      enterError();
    }
  }

  /** Why the packet is dropped without any effect, or null. */
  private Counter refusal(RocePacket packet) {
    if (state != QueuePairState.READY_TO_RECEIVE && state != QueuePairState.READY_TO_SEND) {
      return Counter.RX_WRONG_STATE;
    }
    if (packet.opcode().transport() != Transport.RC) {
      return Counter.RX_WRONG_TRANSPORT;
    }
    if ((packet.partitionKey() & ~MEMBERSHIP_BIT) != DEFAULT_PARTITION) {
      return Counter.RX_BAD_PKEY;
    }
    return path.isOf(packet) ? null : Counter.RX_WRONG_ADDRESS;
  }
}
