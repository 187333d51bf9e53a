package io.burst.engine.qp;

import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.Transport;
import io.burst.spi.Frame;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;

/** A queue pair of the reliable connected service. Owned by its endpoint's thread. */
final class ReliableConnection extends Connection {
  private final Copies copies;
  private final ParkedRequests parked;
  private final RocePacket parkedPacket;
  private Requester requester;
  private Responder responder;

  ReliableConnection(int number, int domain, Queues queues, EventSink events, Endpoint endpoint) {
    super(number, domain, queues, events, endpoint);
    copies = endpoint.copies;
    parkedPacket = endpoint.parkedPacket;
    parked = new ParkedRequests(copies);
    requester = new Requester(this, copies);
    responder = new Responder(this);
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
    parked.clear();
    requester.close();
    requester = new Requester(this, copies);
    responder = new Responder(this);
  }

  @Override
  void refuseFrom(int psn, long arrival) {
    responder.refuseFrom(psn, arrival);
    super.refuseFrom(psn, arrival);
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
        if (!parked.isEmpty() || !responder.onRequest(packet, payloadAddress)) {
          park();
        }
    }
  }

  private void park() {
    if (!parked.add()) {
      counters.increment(Counter.RX_COPIES_BUSY);
    }
  }

  /** Takes the requests that had to wait, as far as they may be taken now. */
  private void unpark() {
    while (!parked.isEmpty() && state() != QueuePairState.ERROR) {
      Frame frame = parked.oldest();
      parkedPacket.wrap(frame.buffer, Frame.HEADROOM_BYTES, frame.lengthBytes);
      copies.from(frame);
      if (!responder.onRequest(parkedPacket, frame.address + parkedPacket.payloadOffset())) {
        return;
      }
      parked.removeOldest();
    }
    parked.clear();
  }

  @Override
  boolean pollAnswer(Frame out) {
    if (!parked.isEmpty()) {
      unpark();
    }
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
    requester.flush();
  }
}
