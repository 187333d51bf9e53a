package io.burst.engine.sim;

import io.burst.engine.wire.Aeth;
import io.burst.verbs.PathMtu;
import java.util.SplittableRandom;

/**
 * What both ends of a connection agree on.
 *
 * @param faulty whether packets can be lost
 * @param timeout the local ACK timeout's code, which the run is paced by
 * @param timed whether it counts: without it nobody is given up
 * @param retryCount what a time-out may use up
 * @param mostPauseNs the longest time between two rounds of posting
 */
record Terms(
    PathMtu mtu,
    boolean faulty,
    int firstPsnA,
    int firstPsnB,
    int timeout,
    boolean timed,
    int retryCount,
    int rnrRetryCount,
    int rnrTimer,
    int readAtomicA,
    int readAtomicB,
    long mostPauseNs,
    Doom doom) {

  static final int FOR_EVER = 7;

  private static final PathMtu[] MTUS = PathMtu.values();
  private static final int ABOUT_TO_WRAP = 0xFF_FFF0;
  private static final int RNR_TIMERS = 24;

  /**
   * On a link that loses nothing a retry is never needed, save where the peer is gone.
   *
   * @param shared whether others may take the receives
   */
  static Terms draw(SplittableRandom random, boolean faulty, int timeout, boolean shared, Doom doom) {
    long timeoutNs = timeoutNs(timeout);
    boolean finiteRnr = doom == Doom.NO_RECEIVES || !shared && random.nextInt(3) == 0;
    int rnrTimer = 1 + random.nextInt(8);
    if (finiteRnr) {
      // Late receives are there after one wait, so that only those that never come use up the retries.
      rnrTimer = 1;
      while (rnrNs(rnrTimer) < 4 * timeoutNs && rnrTimer < RNR_TIMERS) {
        rnrTimer++;
      }
    }
    return new Terms(
        MTUS[random.nextInt(MTUS.length)],
        faulty,
        firstPsn(random),
        firstPsn(random),
        timeout,
        faulty || doom != Doom.NONE || random.nextBoolean(),
        faulty ? 7 : random.nextInt(8),
        finiteRnr ? 1 + random.nextInt(3) : FOR_EVER,
        rnrTimer,
        1 + random.nextInt(4),
        1 + random.nextInt(4),
        timeoutNs,
        doom);
  }

  long timeoutNs() {
    return timeoutNs(timeout);
  }

  /** As the queue pair gets it: 0 for no timer. */
  int timeoutCode() {
    return timed ? timeout : 0;
  }

  long rnrNs() {
    return rnrNs(rnrTimer);
  }

  /** How long a peer that is silent is waited for: each time-out is twice as long as the last, up to four times. */
  long patienceNs() {
    long patienceNs = 0;
    for (int i = 0; i <= retryCount; i++) {
      patienceNs += timeoutNs() << Math.min(i, 2);
    }
    return patienceNs;
  }

  private static long timeoutNs(int code) {
    return 4096L << code;
  }

  private static long rnrNs(int code) {
    return Aeth.rnrTimerNs(Aeth.rnrNak(code));
  }

  /** A quarter soon wraps. */
  private static int firstPsn(SplittableRandom random) {
    return random.nextInt(4) == 0 ? ABOUT_TO_WRAP + random.nextInt(16) : random.nextInt(1 << 24);
  }
}
