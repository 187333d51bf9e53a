package io.burst.engine.device;

import io.burst.engine.qp.CompletionRing;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionQueue;
import io.burst.verbs.VerbsException;
import java.util.concurrent.atomic.AtomicInteger;

/** A completion queue of a {@link LocalDevice}. One thread polls at a time; the rest is for any thread. */
final class LocalCompletionQueue implements CompletionQueue {
  private final CompletionRing ring;
  private final AtomicInteger uses = new AtomicInteger();

  LocalCompletionQueue(int capacity) {
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

  CompletionRing acquire() {
    uses.incrementAndGet();
    return ring;
  }

  void release() {
    uses.decrementAndGet();
  }
}
