package io.burst.engine.sim;

import java.util.SplittableRandom;

/**
 * What a link does to packets; probabilities from 0 to 1, each drawn on its own.
 *
 * @param latencyNs how long a packet takes; a reordered one takes up to three times as long, and at most
 *     {@code delayNs} longer if it is delayed
 */
record Faults(
    double drop, double duplicate, double reorder, double corrupt, double delay, long latencyNs, long delayNs) {
  private static final double MOST_LOSS = 0.1;

  static Faults none(long latencyNs) {
    return new Faults(0, 0, 0, 0, 0, latencyNs, 0);
  }

  static Faults draw(SplittableRandom random, long latencyNs, long timeoutNs) {
    return new Faults(
        random.nextDouble(MOST_LOSS),
        sometimes(random, 0.05),
        sometimes(random, 0.05),
        sometimes(random, 0.03),
        sometimes(random, 0.05),
        latencyNs,
        1 + random.nextLong(2 * timeoutNs));
  }

  private static double sometimes(SplittableRandom random, double most) {
    return random.nextBoolean() ? random.nextDouble(most) : 0;
  }

  boolean isNone() {
    return drop == 0 && duplicate == 0 && reorder == 0 && corrupt == 0 && delay == 0;
  }
}
