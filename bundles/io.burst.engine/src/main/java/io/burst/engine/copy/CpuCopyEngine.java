package io.burst.engine.copy;

import io.burst.linux.Memory;
import io.burst.spi.CopyEngine;
import io.burst.spi.CopyResult;

/** Copies by the worker's own CPU, each at once. Owned by its worker's thread. */
public final class CpuCopyEngine implements CopyEngine {
  private static final int CAPACITY = 64;

  private final long[] tickets = new long[CAPACITY];
  private long enqueued;
  private long polled;

  /** None is worth a detour. */
  @Override
  public int smallestBytes() {
    return Integer.MAX_VALUE;
  }

  @Override
  public int capacity() {
    return CAPACITY;
  }

  @Override
  public void enqueue(long from, long to, int bytes, boolean fenced, long ticket) {
    if (enqueued - polled == CAPACITY) {
      throw new IllegalStateException(CAPACITY + " copies are under way");
    }
    Memory.copy(from, to, bytes);
    tickets[(int) (enqueued++ % CAPACITY)] = ticket;
  }

  @Override
  public void submit() {
    // Each copy was done when it was taken on.
  }

  @Override
  public boolean poll(CopyResult into) {
    if (polled == enqueued) {
      return false;
    }
    into.ticket = tickets[(int) (polled++ % CAPACITY)];
    into.failed = false;
    return true;
  }

  @Override
  public void close() {
    // Nothing is ever under way between two calls.
  }
}
