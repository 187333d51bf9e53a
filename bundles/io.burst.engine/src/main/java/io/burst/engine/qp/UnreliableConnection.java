package io.burst.engine.qp;

import io.burst.engine.wire.Psn;
import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.Transport;
import io.burst.spi.Frame;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.SendOpcode;

/**
 * A queue pair of the unreliable connected service (IBTA volume 1, 9.8.2): a send is done when its last packet is sent,
 * and a message of which a packet is missing never was. Owned by its endpoint's thread.
 */
final class UnreliableConnection extends Connection {
  private final IncomingMessage message;
  private int expectedPsn;

  private long sentBytes;
  private int nextPsn;

  UnreliableConnection(int number, int domain, Queues queues, EventSink events, Endpoint endpoint) {
    super(number, domain, queues, events, endpoint);
    message = new IncomingMessage(this);
  }

  @Override
  public Transport transport() {
    return Transport.UC;
  }

  @Override
  public int sendPsn() {
    return nextPsn;
  }

  @Override
  public int receivePsn() {
    return expectedPsn;
  }

  @Override
  void startReceiving(ReadyToReceive attributes) {
    expectedPsn = Psn.mask(attributes.receivePsn());
  }

  @Override
  void startSending(ReadyToSend attributes) {
    nextPsn = Psn.mask(attributes.sendPsn());
  }

  @Override
  void forget() {
    message.drop();
    sentBytes = 0;
  }

  /**
   * A gap ends the message that it is in; the next First or Only starts one, whatever its PSN. A message that can't be
   * taken is dropped in silence, and its receive is used again from its start.
   */
  @Override
  void take(RocePacket packet, long bufferAddress, long nowNs) {
    if (!arrivals().hasRoom()) {
      counters.increment(Counter.RX_COPIES_BUSY);
      return;
    }
    arrivals().begin(packet.psn(), 0, 0);
    if (packet.psn() != expectedPsn) {
      counters.increment(Counter.OUT_OF_SEQUENCE);
      message.drop();
    }
    expectedPsn = Psn.add(packet.psn(), 1);
    if (packet.opcode().isFirst()) {
      message.drop();
    } else if (!message.isOpen()) {
      return;
    }
    Placement placement = message.take(packet, bufferAddress + packet.payloadOffset());
    if (placement == Placement.DONE) {
      onRequestTaken();
    } else if (placement == Placement.RECEIVE_NOT_WRITABLE) {
      completeReceive(CompletionStatus.LOCAL_PROTECTION_ERROR);
      enterError();
    } else {
      counters.increment(Counter.RX_DROPPED_MESSAGES);
      message.drop();
    }
  }

  @Override
  boolean pollRequest(Frame out, long nowNs) {
    if (sends.isEmpty() || !mayBegin() && !hasBegunSends()) {
      return false;
    }
    long sequence = sends.oldest();
    if (!isOffered(sends.opcode(sequence))) {
      fail(CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
      return false;
    }
    if (!sends.locate(sequence, this, Region.LOCAL_READ)) {
      fail(CompletionStatus.LOCAL_PROTECTION_ERROR);
      return false;
    }
    boolean last = PayloadPackets.write(this, out, sequence, sentBytes, nextPsn, false);
    nextPsn = Psn.add(nextPsn, 1);
    sentBytes = last ? 0 : sentBytes + mtuBytes;
    if (last) {
      completeSend(CompletionStatus.SUCCESS);
    }
    return true;
  }

  @Override
  boolean hasBegunSends() {
    return sentBytes > 0;
  }

  @Override
  void flushSends() {
    super.flushSends();
    sentBytes = 0;
  }

  private static boolean isOffered(SendOpcode opcode) {
    return opcode.isWrite() || opcode.isSend() && opcode != SendOpcode.SEND_WITH_INVALIDATE;
  }

  private void fail(CompletionStatus status) {
    completeSend(status);
    enterSendError();
  }
}
