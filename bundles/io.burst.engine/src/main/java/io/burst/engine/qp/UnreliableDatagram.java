package io.burst.engine.qp;

import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.PacketWriter;
import io.burst.engine.wire.Psn;
import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.Transport;
import io.burst.spi.Frame;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.CompletionOpcode;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.Gid;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.SendOpcode;
import java.util.List;
import java.util.Set;

/**
 * A queue pair of the unreliable datagram service (IBTA volume 1, 9.8.3): one packet a message, to and from any queue
 * pair that knows its Q_Key. Owned by its endpoint's thread.
 */
public final class UnreliableDatagram extends QueuePairContext {
  /** A receive begins with room for a global route header; RoCEv2 puts the IP header there (IBTA annex A17). */
  private static final int ROUTE_HEADER_BYTES = 40;

  private static final int OWN_QUEUE_KEY = 1 << 31;

  private int queueKey;
  private List<Gid> addresses = List.of();
  private int udpSourcePort;
  private int nextPsn;

  UnreliableDatagram(int number, int domain, Queues queues, EventSink events, Endpoint endpoint) {
    super(number, domain, queues, events, endpoint);
  }

  /** @param queueKey what datagrams must carry to be taken */
  public void initialize(int queueKey) {
    this.queueKey = queueKey;
    initialize(Set.of());
  }

  /**
   * @param mtuBytes the longest message
   * @param addresses that datagrams may come to
   * @param udpSourcePort that datagrams leave with
   */
  public void readyToReceive(int mtuBytes, List<Gid> addresses, int udpSourcePort) {
    this.mtuBytes = mtuBytes;
    this.addresses = addresses;
    this.udpSourcePort = udpSourcePort;
    setState(QueuePairState.READY_TO_RECEIVE);
  }

  public void readyToSend(int sendPsn) {
    nextPsn = Psn.mask(sendPsn);
    setState(QueuePairState.READY_TO_SEND);
  }

  @Override
  public Transport transport() {
    return Transport.UD;
  }

  @Override
  public Path path() {
    return null;
  }

  @Override
  public int destinationNumber() {
    return 0;
  }

  @Override
  public int sendPsn() {
    return nextPsn;
  }

  @Override
  public int receivePsn() {
    return 0;
  }

  @Override
  void forget() {
    // Nothing of a datagram stays.
  }

  @Override
  Counter foreign(RocePacket packet) {
    if (!isOurs(packet)) {
      return Counter.RX_WRONG_ADDRESS;
    }
    return packet.dethQueueKey() == queueKey ? null : Counter.RX_BAD_QKEY;
  }

  /** A datagram that finds no receive, or too short a one, is lost in silence. */
  @Override
  void take(RocePacket packet, long bufferAddress, long nowNs) {
    int lengthBytes = ROUTE_HEADER_BYTES + packet.payloadBytes();
    if (!arrivals().hasRoom()) {
      counters.increment(Counter.RX_COPIES_BUSY);
      return;
    }
    arrivals().begin(packet.psn(), 0, 0);
    if (!receive.hold() || lengthBytes > receive.roomBytes()) {
      counters.increment(Counter.RX_DROPPED_MESSAGES);
    } else if (!receive.locate()) {
      completeReceive(CompletionStatus.LOCAL_PROTECTION_ERROR);
      enterError();
    } else {
      int headerBytes = packet.ipHeaderBytes();
      receive.scatter(ROUTE_HEADER_BYTES - headerBytes, bufferAddress + packet.offset(), headerBytes);
      receive.scatter(ROUTE_HEADER_BYTES, bufferAddress + packet.payloadOffset(), packet.payloadBytes());
      completeReceive(CompletionOpcode.RECEIVE, lengthBytes, packet);
    }
  }

  @Override
  boolean pollRequest(Frame out, long nowNs) {
    if (!mayBegin() || sends.isEmpty()) {
      return false;
    }
    long sequence = sends.oldest();
    CompletionStatus fault = fault(sequence);
    if (fault != null) {
      completeSend(fault);
      enterSendError();
      return false;
    }
    transmit(out, sequence);
    completeSend(CompletionStatus.SUCCESS);
    return true;
  }

  @Override
  boolean hasBegunSends() {
    return false;
  }

  private CompletionStatus fault(long sequence) {
    SendOpcode opcode = sends.opcode(sequence);
    if (opcode != SendOpcode.SEND && opcode != SendOpcode.SEND_WITH_IMMEDIATE) {
      return CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR;
    }
    if (sends.totalBytes(sequence) > mtuBytes) {
      return CompletionStatus.LOCAL_LENGTH_ERROR;
    }
    return sends.locate(sequence, this, Region.LOCAL_READ) ? null : CompletionStatus.LOCAL_PROTECTION_ERROR;
  }

  private void transmit(Frame out, long sequence) {
    boolean immediate = sends.opcode(sequence).hasImmediate();
    Opcode opcode = immediate ? Opcode.UD_SEND_ONLY_IMMEDIATE : Opcode.UD_SEND_ONLY;
    int key = sends.remoteQueueKey(sequence);
    PacketWriter writer =
        begin(out, sends.path(sequence), sends.remoteNumber(sequence), opcode, nextPsn)
            .udpSourcePort(udpSourcePort)
            .solicited(sends.isSolicited(sequence))
            .deth((key & OWN_QUEUE_KEY) == 0 ? key : queueKey, number());
    if (immediate) {
      writer.immediate(sends.immediate(sequence));
    }
    int bytes = (int) sends.totalBytes(sequence);
    sends.gather(sequence, 0, out.address + writer.payloadOffset(), bytes);
    end(out, bytes);
    nextPsn = Psn.add(nextPsn, 1);
  }

  private boolean isOurs(RocePacket packet) {
    for (int i = 0; i < addresses.size(); i++) {
      Gid address = addresses.get(i);
      if (address.low() == packet.destinationLow() && address.high() == packet.destinationHigh()) {
        return true;
      }
    }
    return false;
  }
}
