package io.burst.engine.device;

import io.burst.engine.qp.Connection;
import io.burst.engine.qp.Path;
import io.burst.engine.qp.QueuePairContext;
import io.burst.engine.qp.SendQueue;
import io.burst.engine.wire.Transport;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.QueuePairInit;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.QueuePairType;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;
import io.burst.verbs.VerbsException;
import java.util.Set;

/** A queue pair of a connected service. Threads as its base says. */
final class LocalConnection extends LocalQueuePair {
  private static final int HIGHEST_NUMBER = 0xFF_FFFF;

  private final Connection connection;

  LocalConnection(LocalProtectionDomain domain, QueuePairInit init) {
    super(domain, init);
    Transport transport = init.type() == QueuePairType.RELIABLE_CONNECTION ? Transport.RC : Transport.UC;
    connection =
        device
            .worker()
            .call(endpoint -> endpoint.createConnection(transport, domain.number(), queues, this::raise));
  }

  @Override
  QueuePairContext context() {
    return connection;
  }

  @Override
  boolean offers(SendOpcode opcode) {
    return connection.transport() == Transport.RC
        || opcode.isWrite()
        || opcode.isSend() && opcode != SendOpcode.SEND_WITH_INVALIDATE;
  }

  @Override
  boolean post(SendQueue sends, SendRequest request) {
    return sends.post(request);
  }

  @Override
  public void initialize(Set<AccessFlag> remoteAccess) {
    step(QueuePairState.RESET, () -> connection.initialize(remoteAccess));
  }

  @Override
  public void readyToReceive(ReadyToReceive attributes) {
    int remote = Limits.check("destination queue pair", attributes.destinationNumber(), 0, HIGHEST_NUMBER);
    Limits.check(
        "max destination READs and atomics", attributes.maxDestinationReadAtomic(), 0, Limits.DEEPEST_READ_ATOMIC);
    Limits.check("min RNR timer", attributes.minRnrTimer(), 0, 31);
    if (attributes.pathMtu().compareTo(device.activeMtu()) > 0) {
      throw new VerbsException("EINVAL: path MTU " + attributes.pathMtu().bytes() + " is over the link's active MTU "
          + device.activeMtu().bytes());
    }
    Path path = device.resolve(attributes.address(), number(), remote);
    step(QueuePairState.INIT, () -> connection.readyToReceive(attributes, path));
  }

  @Override
  public void readyToSend(ReadyToSend attributes) {
    Limits.check("timeout", attributes.timeout(), 0, 31);
    Limits.check("retry count", attributes.retryCount(), 0, 7);
    Limits.check("RNR retry count", attributes.rnrRetryCount(), 0, 7);
    Limits.check("max READs and atomics", attributes.maxReadAtomic(), 0, Limits.DEEPEST_READ_ATOMIC);
    step(QueuePairState.READY_TO_RECEIVE, () -> connection.readyToSend(attributes));
  }
}
