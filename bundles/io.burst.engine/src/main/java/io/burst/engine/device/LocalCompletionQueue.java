package io.burst.engine.device;

import io.burst.engine.qp.CompletionRing;
import io.burst.verbs.AsyncEvent;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionQueue;
import io.burst.verbs.VerbsException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A completion queue of a {@link LocalDevice}. One thread polls at a time; the rest is for any thread. */
final class LocalCompletionQueue implements CompletionQueue {
  private static final Logger LOG = LoggerFactory.getLogger(LocalCompletionQueue.class);

  private final LocalDevice device;
  private final CompletionRing ring;
  private final AtomicInteger uses = new AtomicInteger();

  LocalCompletionQueue(LocalDevice device, int capacity, Runnable listener) {
    Limits.check("capacity", capacity, 1, Limits.LARGEST_COMPLETION_QUEUE);
    this.device = device;
    ring = new CompletionRing(capacity, () -> call(listener), type -> device.raise(new AsyncEvent(type, this)));
  }

  /** The queue, if it is one of this device's: another's would have a second worker, which its ring can't bear. */
  static LocalCompletionQueue of(CompletionQueue queue, LocalDevice device) {
    if (queue instanceof LocalCompletionQueue local && local.device == device) {
      return local;
    }
    throw new IllegalArgumentException("the completion queue is not one of this device's");
  }

  @Override
  public boolean poll(Completion into) {
    if (ring.poll(into)) {
      return true;
    }
    if (ring.isOverrun()) {
      throw new VerbsException("EOVERFLOW: more completions came than the queue's " + ring.capacity());
    }
    return false;
  }

  @Override
  public void requestNotification(boolean solicitedOnly) {
    ring.arm(solicitedOnly);
  }

  @Override
  public int capacity() {
    return ring.capacity();
  }

  @Override
  public void close() {
    if (uses.get() != 0) {
      throw new VerbsException("EBUSY: " + uses.get() + " queues report to the completion queue");
    }
    device.forgetEvents(this);
  }

  /** What an application's listener throws must not hurt the queue pair whose completion called it. */
  private static void call(Runnable listener) {
    try {
      listener.run();
    } catch (RuntimeException e) {
      LOG.error("a completion queue's listener failed", e);
    }
  }

  CompletionRing acquire() {
    uses.incrementAndGet();
    return ring;
  }

  void release() {
    uses.decrementAndGet();
  }
}
