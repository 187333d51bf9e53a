package io.burst.engine.device;

import io.burst.engine.qp.CompletionRing;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionQueue;
import io.burst.verbs.VerbsException;
import java.util.concurrent.atomic.AtomicInteger;

/** A completion queue of a {@link LocalDevice}. One thread polls at a time; the rest is for any thread. */
final class LocalCompletionQueue implements CompletionQueue {
  /** As RNICs report it (max_cqe). */
  private static final int LARGEST_CAPACITY = 1 << 22;

  private final LocalDevice device;
  private final CompletionRing ring;
  private final AtomicInteger uses = new AtomicInteger();

  LocalCompletionQueue(LocalDevice device, int capacity) {
    if (capacity < 1 || capacity > LARGEST_CAPACITY) {
      throw new VerbsException("EINVAL: capacity " + capacity + " is not in 1.." + LARGEST_CAPACITY);
    }
    this.device = device;
    ring = new CompletionRing(capacity);
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
  public int capacity() {
    return ring.capacity();
  }

  @Override
  public void close() {
    if (uses.get() != 0) {
      throw new VerbsException("EBUSY: " + uses.get() + " queues report to the completion queue");
    }
  }

  LocalDevice device() {
    return device;
  }

  CompletionRing acquire() {
    uses.incrementAndGet();
    return ring;
  }

  void release() {
    uses.decrementAndGet();
  }
}
