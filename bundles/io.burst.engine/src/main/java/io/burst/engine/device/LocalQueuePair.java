package io.burst.engine.device;

import io.burst.engine.qp.QueuePairContext;
import io.burst.engine.qp.Queues;
import io.burst.engine.qp.ReceiveQueue;
import io.burst.engine.qp.SendQueue;
import io.burst.engine.worker.Worker;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.AsyncEvent;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.QueuePair;
import io.burst.verbs.QueuePairInit;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.ReceiveRequest;
import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;
import io.burst.verbs.SharedReceiveQueue;
import io.burst.verbs.VerbsException;
import java.util.EnumSet;
import java.util.Set;

/**
 * A queue pair of a {@link LocalDevice}: checks what applications ask for and hands it to the worker that owns the
 * context. One thread posts to each queue at a time; the rest is for any thread.
 */
abstract class LocalQueuePair implements QueuePair {
  private static final Set<QueuePairState> ANY = EnumSet.allOf(QueuePairState.class);

  final LocalProtectionDomain domain;
  final LocalDevice device;
  final Queues queues;

  private final Worker worker;
  private final LocalCompletionQueue sendCompletions;
  private final LocalCompletionQueue receiveCompletions;
  /** Null when its receives are its own. */
  private final LocalSharedReceiveQueue sharedReceives;
  private boolean open = true;

  LocalQueuePair(LocalProtectionDomain domain, QueuePairInit init) {
    this.domain = domain;
    device = domain.device();
    worker = device.worker();
    int inlineBytes = Limits.check("max inline", init.maxInlineBytes(), 0, Limits.LONGEST_INLINE_BYTES);
    int sendDepth = Limits.check("send depth", init.sendDepth(), 1, Limits.DEEPEST_QUEUE);
    sharedReceives = own(init.sharedReceives());
    ReceiveQueue ownReceives =
        sharedReceives != null
            ? null
            : new ReceiveQueue(Limits.check("receive depth", init.receiveDepth(), 1, Limits.DEEPEST_QUEUE));
    sendCompletions = LocalCompletionQueue.of(init.sendCompletions(), device);
    receiveCompletions = LocalCompletionQueue.of(init.receiveCompletions(), device);
    queues =
        new Queues(
            new SendQueue(sendDepth, inlineBytes),
            sharedReceives != null ? sharedReceives.acquire() : ownReceives,
            sendCompletions.acquire(),
            receiveCompletions.acquire());
  }

  abstract QueuePairContext context();

  abstract boolean offers(SendOpcode opcode);

  /** Posts a request that passed the checks that are the same for every service. */
  abstract boolean post(SendQueue sends, SendRequest request);

  @Override
  public int number() {
    return context().number();
  }

  @Override
  public QueuePairState state() {
    return context().state();
  }

  @Override
  public void initialize(Set<AccessFlag> remoteAccess) {
    throw wrongService();
  }

  @Override
  public void initialize(int queueKey) {
    throw wrongService();
  }

  @Override
  public void readyToReceive(ReadyToReceive attributes) {
    throw wrongService();
  }

  @Override
  public void readyToReceive() {
    throw wrongService();
  }

  @Override
  public void readyToSend(ReadyToSend attributes) {
    throw wrongService();
  }

  @Override
  public void readyToSend(int sendPsn) {
    throw wrongService();
  }

  @Override
  public void drain() {
    command(EnumSet.of(QueuePairState.READY_TO_SEND), context()::drain);
  }

  @Override
  public void resume() {
    command(
        EnumSet.of(QueuePairState.SEND_QUEUE_DRAINED, QueuePairState.SEND_QUEUE_ERROR), context()::resume);
  }

  /** When it returns nothing is on its way to the memory of what was outstanding any more. */
  @Override
  public void reset() {
    worker.release(endpoint -> context().reset());
  }

  @Override
  public void fail() {
    command(ANY, context()::enterError);
  }

  @Override
  public boolean postSend(SendRequest request) {
    QueuePairState state = state();
    if (state.compareTo(QueuePairState.READY_TO_SEND) < 0) {
      throw new VerbsException("EINVAL: a send needs the queue pair in RTS, it is in " + state);
    }
    check(request);
    boolean posted = post(queues.sends(), request);
    worker.wake();
    return posted;
  }

  @Override
  public boolean postReceive(ReceiveRequest request) {
    if (sharedReceives != null) {
      throw new VerbsException("EINVAL: the queue pair's receives are shared, post to their queue");
    }
    if (state() == QueuePairState.RESET) {
      throw new VerbsException("EINVAL: a receive needs the queue pair in INIT or later, it is in RESET");
    }
    Limits.checkLength(request.buffers.totalBytes());
    boolean posted = queues.receives().post(request.workRequestId, request.buffers);
    if (state() == QueuePairState.ERROR) {
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
    worker.release(endpoint -> endpoint.remove(context()));
    device.forgetEvents(this);
    sendCompletions.release();
    receiveCompletions.release();
    if (sharedReceives != null) {
      sharedReceives.release();
    }
    domain.release();
  }

  /** The step out of one state; EINVAL in any other. */
  final void step(QueuePairState from, Runnable transition) {
    command(EnumSet.of(from), transition);
  }

  final void raise(AsyncEventType type) {
    device.raise(new AsyncEvent(type, this));
  }

  private void command(Set<QueuePairState> from, Runnable transition) {
    worker.call(
        endpoint -> {
          if (!from.contains(state())) {
            throw new VerbsException("EINVAL: the queue pair is in " + state() + ", not in " + names(from));
          }
          transition.run();
          return null;
        });
  }

  private static String names(Set<QueuePairState> states) {
    return String.join(" or ", states.stream().map(Enum::name).toList());
  }

  private LocalSharedReceiveQueue own(SharedReceiveQueue receives) {
    if (receives == null) {
      return null;
    }
    if (receives instanceof LocalSharedReceiveQueue local && local.isOf(domain)) {
      return local;
    }
    throw new IllegalArgumentException("the shared receive queue is not of the queue pair's protection domain");
  }

  private void check(SendRequest request) {
    if (!offers(request.opcode)) {
      throw new VerbsException("EINVAL: " + request.opcode + " is nothing for a queue pair of this type");
    }
    if (request.opcode.isLocal()) {
      return;
    }
    long lengthBytes = request.buffers.totalBytes();
    boolean eightBytes = request.opcode.isAtomic() || request.opcode == SendOpcode.ATOMIC_WRITE;
    if (eightBytes && lengthBytes != Long.BYTES) {
      throw new VerbsException("EINVAL: " + request.opcode + " is of 8 bytes, not " + lengthBytes);
    }
    Limits.checkLength(lengthBytes);
    if (request.inline) {
      checkInline(request.opcode, lengthBytes);
    }
  }

  private void checkInline(SendOpcode opcode, long lengthBytes) {
    if (opcode == SendOpcode.READ || opcode.isAtomic()) {
      throw new VerbsException("EINVAL: " + opcode + " brings bytes, so it can't be inline");
    }
    if (lengthBytes > queues.sends().maxInlineBytes()) {
      throw new VerbsException(
          "EINVAL: " + lengthBytes + " bytes inline, the queue pair takes " + queues.sends().maxInlineBytes());
    }
  }

  private static VerbsException wrongService() {
    return new VerbsException("EINVAL: these attributes are not those of a queue pair of this type");
  }
}
