package io.burst.engine.qp;

import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.Transport;
import io.burst.spi.Frame;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;

/** A queue pair of the reliable connected service. Owned by its endpoint's thread. */
final class ReliableConnection extends Connection {
  private Requester requester = new Requester(this);
  private Responder responder = new Responder(this);

  ReliableConnection(int number, int domain, Queues queues, EventSink events, Endpoint endpoint) {
    super(number, domain, queues, events, endpoint);
  }

  @Override
  public Transport transport() {
    return Transport.RC;
  }

  @Override
  public int sendPsn() {
    return requester.nextPsn();
  }

  @Override
  public int receivePsn() {
    return responder.expectedPsn();
  }

  @Override
  void startReceiving(ReadyToReceive attributes) {
    responder.start(attributes);
  }

  @Override
  void startSending(ReadyToSend attributes) {
    requester.start(attributes);
  }

  @Override
  void forget() {
    requester = new Requester(this);
    responder = new Responder(this);
  }

  @Override
  void take(RocePacket packet, long bufferAddress, long nowNs) {
    long payloadAddress = bufferAddress + packet.payloadOffset();
    switch (packet.opcode().operation()) {
      case ACKNOWLEDGE:
        requester.onAcknowledge(packet, nowNs);
        break;
      case ATOMIC_ACKNOWLEDGE:
        requester.onAtomicAcknowledge(packet, nowNs);
        break;
      case READ_RESPONSE:
        requester.onReadResponse(packet, payloadAddress, nowNs);
        break;
      default:
        responder.onRequest(packet, payloadAddress);
    }
  }

  @Override
  boolean pollAnswer(Frame out) {
    return responder.pollTransmit(out);
  }

  @Override
  boolean pollRequest(Frame out, long nowNs) {
    return requester.pollTransmit(out, nowNs);
  }

  @Override
  boolean hasBegunSends() {
    return requester.hasBegun();
  }

  @Override
  void onTimeout(long nowNs) {
    requester.onTimeout(nowNs);
  }

  @Override
  long nextDeadlineNs() {
    return requester.nextDeadlineNs();
  }

  @Override
  void flushSends() {
    super.flushSends();
    requester.stop();
  }
}
