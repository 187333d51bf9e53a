package io.burst.tools;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * What a poll loop does while nothing completes: spins, yields, then parks, and gives up when the queue pair shows no
 * sign of life for too long. Belongs to the polling thread.
 */
final class Patience {

  private static final int SPINS = 200;
  private static final int YIELDS = 100;
  private static final long PARK_NS = 20_000;
  private static final long LOOK_INTERVAL_NS = 1_000_000_000L;

  private final long limitNs;
  private final LongSupplier activity;
  private int idleRounds;
  private long lastActivity;
  private long lastProgressNs;
  private long nextLookNs;

  /** @param activity a number that changes with every packet that counts; read about once a second */
  Patience(long limitNs, LongSupplier activity) {
    this.limitNs = limitNs;
    this.activity = activity;
    lastActivity = activity.getAsLong();
    progressed();
  }

  /** Something completed. */
  void progressed() {
    idleRounds = 0;
    lastProgressNs = System.nanoTime();
    nextLookNs = lastProgressNs + LOOK_INTERVAL_NS;
  }

  /** Nothing completed. */
  void idle() throws CommandFailure {
    idleRounds++;
    if (idleRounds <= SPINS) {
      Thread.onSpinWait();
    } else if (idleRounds <= SPINS + YIELDS) {
      Thread.yield();
    } else {
      idleRounds = SPINS + YIELDS;
      LockSupport.parkNanos(PARK_NS);
      look(System.nanoTime());
    }
  }

  private void look(long nowNs) throws CommandFailure {
    if (Thread.currentThread().isInterrupted()) {
      throw CommandFailure.notDone("interrupted");
    }
    if (nowNs - nextLookNs < 0) {
      return;
    }
    nextLookNs = nowNs + LOOK_INTERVAL_NS;
    long seen = activity.getAsLong();
    if (seen != lastActivity) {
      lastActivity = seen;
      lastProgressNs = nowNs;
    } else if (nowNs - lastProgressNs >= limitNs) {
      throw CommandFailure.notDone("no progress for " + limitNs / 1_000_000_000L
          + " s: look whether the peer still runs and whether UDP port 4791 is open both ways");
    }
  }
}
