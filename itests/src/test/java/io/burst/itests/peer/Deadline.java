package io.burst.itests.peer;

import java.util.concurrent.locks.LockSupport;

/** When a wait for something that can only be looked at has been too long. For one thread. */
final class Deadline {

  /** Leaves the processor to the guest and to BURST's worker. */
  private static final long PAUSE_NS = 50_000;

  private final long endNs;

  private Deadline(long endNs) {
    this.endNs = endNs;
  }

  static Deadline in(long timeoutMs) {
    return new Deadline(System.nanoTime() + timeoutMs * 1_000_000);
  }

  boolean isOver() {
    return leftNs() == 0;
  }

  long leftNs() {
    return Math.max(0, endNs - System.nanoTime());
  }

  /** Between two looks. */
  static void pause() {
    LockSupport.parkNanos(PAUSE_NS);
  }

  /** @throws IllegalStateException when it is over */
  void pause(String awaited) {
    if (isOver()) {
      throw new IllegalStateException("waited too long for " + awaited);
    }
    pause();
  }
}
