package io.burst.engine.qp;

import java.util.concurrent.atomic.AtomicLongArray;

/** One worker's counters: written by that worker alone, read by any thread, a moment late at worst. */
public final class Counters {
  private final AtomicLongArray values = new AtomicLongArray(Counter.values().length);

  void increment(Counter counter) {
    int index = counter.ordinal();
    values.setOpaque(index, values.getPlain(index) + 1);
  }

  public long get(Counter counter) {
    return values.getOpaque(counter.ordinal());
  }
}
