package io.burst.engine.device;

import io.burst.engine.qp.QueuePairContext;
import io.burst.engine.qp.SendQueue;
import io.burst.engine.qp.UnreliableDatagram;
import io.burst.verbs.QueuePairInit;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;
import io.burst.verbs.VerbsException;

/** A queue pair of the datagram service. Threads as its base says. */
final class LocalDatagramQueuePair extends LocalQueuePair {
  private final UnreliableDatagram datagrams;

  LocalDatagramQueuePair(LocalProtectionDomain domain, QueuePairInit init) {
    super(domain, init);
    datagrams = device.worker().call(endpoint -> endpoint.createDatagram(domain.number(), queues, this::raise));
  }

  @Override
  QueuePairContext context() {
    return datagrams;
  }

  @Override
  boolean offers(SendOpcode opcode) {
    return opcode == SendOpcode.SEND || opcode == SendOpcode.SEND_WITH_IMMEDIATE;
  }

  @Override
  boolean post(SendQueue sends, SendRequest request) {
    if (request.addressHandle instanceof LocalAddressHandle handle && handle.isOf(domain)) {
      return sends.post(request, handle.path());
    }
    throw new VerbsException("EINVAL: a datagram needs an address handle of the queue pair's protection domain");
  }

  @Override
  public void initialize(int queueKey) {
    step(QueuePairState.RESET, () -> datagrams.initialize(queueKey));
  }

  @Override
  public void readyToReceive() {
    int mtuBytes = device.activeMtu().bytes();
    int sourcePort = device.datagramSourcePort(number());
    step(QueuePairState.INIT, () -> datagrams.readyToReceive(mtuBytes, device.gids(), sourcePort));
  }

  @Override
  public void readyToSend(int sendPsn) {
    step(QueuePairState.READY_TO_RECEIVE, () -> datagrams.readyToSend(sendPsn));
  }
}
