package io.burst.engine.device;

import io.burst.engine.qp.Path;
import io.burst.engine.qp.QueuePairContext;
import io.burst.engine.qp.SendQueue;
import io.burst.engine.qp.WorkQueue;
import io.burst.engine.wire.Transport;
import io.burst.engine.worker.Worker;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.CompletionQueue;
import io.burst.verbs.QueuePair;
import io.burst.verbs.QueuePairInit;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.ReceiveRequest;
import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;
import io.burst.verbs.VerbsException;
import java.util.Set;

/**
 * A queue pair of a {@link LocalDevice}: checks what applications ask for and hands it to the worker that owns the
 * connection. One thread posts to each queue at a time; the rest is for any thread.
 */
final class LocalQueuePair implements QueuePair {
  /** As RNICs report it (max_msg_sz). */
  private static final long LONGEST_MESSAGE_BYTES = 1L << 31;

  /** As many as ConnectX has (max_qp_rd_atom). */
  private static final int DEEPEST_READ_ATOMIC = 16;

  private static final int DEEPEST_QUEUE = 1 << 16;
  private static final int HIGHEST_NUMBER = 0xFF_FFFF;

  private final LocalProtectionDomain domain;
  private final LocalDevice device;
  private final Worker worker;
  private final LocalCompletionQueue sendCompletions;
  private final LocalCompletionQueue receiveCompletions;
  private final SendQueue sends;
  private final WorkQueue receives;
  private final Transport transport;
  private final QueuePairContext connection;
  private boolean open = true;

  LocalQueuePair(LocalProtectionDomain domain, QueuePairInit init) {
    this.domain = domain;
    device = domain.device();
    worker = device.worker();
    sends = new SendQueue(checkRange("send depth", init.sendDepth(), 1, DEEPEST_QUEUE));
    receives = new WorkQueue(checkRange("receive depth", init.receiveDepth(), 1, DEEPEST_QUEUE));
    transport =
        switch (init.type()) {
          case RELIABLE_CONNECTION -> Transport.RC;
          case UNRELIABLE_CONNECTION -> Transport.UC;
        };
    sendCompletions = own(init.sendCompletions());
    receiveCompletions = own(init.receiveCompletions());
    connection =
        worker.call(
            endpoint ->
                endpoint.create(
                    transport,
                    domain.number(),
                    sends,
                    receives,
                    sendCompletions.acquire(),
                    receiveCompletions.acquire()));
  }

  @Override
  public int number() {
    return connection.number();
  }

  @Override
  public QueuePairState state() {
    return connection.state();
  }

  @Override
  public void initialize(Set<AccessFlag> remoteAccess) {
    command(QueuePairState.RESET, () -> connection.initialize(remoteAccess));
  }

  @Override
  public void readyToReceive(ReadyToReceive attributes) {
    int remote = checkRange("destination queue pair", attributes.destinationNumber(), 0, HIGHEST_NUMBER);
    checkRange("max destination READs and atomics", attributes.maxDestinationReadAtomic(), 0, DEEPEST_READ_ATOMIC);
    checkRange("min RNR timer", attributes.minRnrTimer(), 0, 31);
    if (attributes.pathMtu().compareTo(device.activeMtu()) > 0) {
      throw new VerbsException("EINVAL: path MTU " + attributes.pathMtu().bytes() + " is over the link's active MTU "
          + device.activeMtu().bytes());
    }
    Path path = device.resolve(attributes.address(), number(), remote);
    command(QueuePairState.INIT, () -> connection.readyToReceive(attributes, path));
  }

  @Override
  public void readyToSend(ReadyToSend attributes) {
    checkRange("timeout", attributes.timeout(), 0, 31);
    checkRange("retry count", attributes.retryCount(), 0, 7);
    checkRange("RNR retry count", attributes.rnrRetryCount(), 0, 7);
    checkRange("max READs and atomics", attributes.maxReadAtomic(), 0, DEEPEST_READ_ATOMIC);
    command(QueuePairState.READY_TO_RECEIVE, () -> connection.readyToSend(attributes));
  }

  @Override
  public void fail() {
    command(null, connection::enterError);
  }

  @Override
  public boolean postSend(SendRequest request) {
    QueuePairState state = connection.state();
    if (state.compareTo(QueuePairState.READY_TO_SEND) < 0) {
      throw new VerbsException("EINVAL: a send needs the queue pair in RTS, it is in " + state);
    }
    check(request);
    boolean posted = sends.post(request);
    worker.wake();
    return posted;
  }

  @Override
  public boolean postReceive(ReceiveRequest request) {
    if (connection.state() == QueuePairState.RESET) {
      throw new VerbsException("EINVAL: a receive needs the queue pair in INIT or later, it is in RESET");
    }
    checkLength(request.buffers.totalBytes());
    boolean posted = receives.post(request.workRequestId, request.buffers);
    if (connection.state() == QueuePairState.ERROR) {
      worker.wake();
    }
    return posted;
  }

  @Override
  public synchronized void close() {
    if (!open) {
      return;
    }
    open = false;
    worker.release(endpoint -> endpoint.remove(connection));
    sendCompletions.release();
    receiveCompletions.release();
    domain.release();
  }

  /** @param from the only state that it is allowed in, or null for any */
  private void command(QueuePairState from, Runnable transition) {
    worker.call(
        endpoint -> {
          if (from != null && connection.state() != from) {
            throw new VerbsException("EINVAL: the queue pair is in " + connection.state() + ", not in " + from);
          }
          transition.run();
          return null;
        });
  }

  /** Another device's would have a second worker that pushes to it, which its ring can't bear. */
  private LocalCompletionQueue own(CompletionQueue queue) {
    if (queue instanceof LocalCompletionQueue local && local.device() == device) {
      return local;
    }
    throw new IllegalArgumentException("the completion queue is not one of this device's");
  }

  private static int checkRange(String what, int value, int lowest, int highest) {
    if (value < lowest || value > highest) {
      throw new VerbsException("EINVAL: " + what + " " + value + " is not in " + lowest + ".." + highest);
    }
    return value;
  }

  private void check(SendRequest request) {
    if (request.opcode.isAnswered() && transport != Transport.RC) {
      throw new VerbsException("EINVAL: " + request.opcode + " needs a reliable connection");
    }
    long lengthBytes = request.buffers.totalBytes();
    boolean eightBytes = request.opcode.isAtomic() || request.opcode == SendOpcode.ATOMIC_WRITE;
    if (eightBytes && lengthBytes != Long.BYTES) {
      throw new VerbsException("EINVAL: " + request.opcode + " is of 8 bytes, not " + lengthBytes);
    }
    checkLength(lengthBytes);
  }

  private static void checkLength(long lengthBytes) {
    if (lengthBytes < 0 || lengthBytes > LONGEST_MESSAGE_BYTES) {
      throw new VerbsException("EINVAL: length " + lengthBytes + " is not in 0.." + LONGEST_MESSAGE_BYTES);
    }
  }
}
