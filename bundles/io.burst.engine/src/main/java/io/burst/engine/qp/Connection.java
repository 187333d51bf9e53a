package io.burst.engine.qp;

import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.PacketWriter;
import io.burst.engine.wire.RocePacket;
import io.burst.spi.Frame;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;

/** A queue pair of a connected service: it has one peer. Owned by its endpoint's thread. */
public abstract class Connection extends QueuePairContext {
  private Path path;
  private int destinationNumber;
  private boolean heardOf;

  Connection(int number, int domain, Queues queues, EventSink events, Endpoint endpoint) {
    super(number, domain, queues, events, endpoint);
  }

  @Override
  public Path path() {
    return path;
  }

  @Override
  public int destinationNumber() {
    return destinationNumber;
  }

  public void readyToReceive(ReadyToReceive attributes, Path path) {
    this.path = path;
    destinationNumber = attributes.destinationNumber();
    mtuBytes = attributes.pathMtu().bytes();
    heardOf = false;
    startReceiving(attributes);
    setState(QueuePairState.READY_TO_RECEIVE);
  }

  public void readyToSend(ReadyToSend attributes) {
    startSending(attributes);
    setState(QueuePairState.READY_TO_SEND);
  }

  abstract void startReceiving(ReadyToReceive attributes);

  abstract void startSending(ReadyToSend attributes);

  @Override
  Counter foreign(RocePacket packet) {
    return path.isOf(packet) ? null : Counter.RX_WRONG_ADDRESS;
  }

  /** The peer's requests may come before the word that it is ready: then they are that word. */
  void onRequestTaken() {
    if (!heardOf && state() == QueuePairState.READY_TO_RECEIVE) {
      heardOf = true;
      raise(AsyncEventType.COMMUNICATION_ESTABLISHED);
    }
  }

  PacketWriter begin(Frame out, Opcode opcode, int psn) {
    return begin(out, path, destinationNumber, opcode, psn);
  }
}
