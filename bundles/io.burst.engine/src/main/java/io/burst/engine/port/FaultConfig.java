package io.burst.engine.port;

/**
 * What a {@link FaultPort} does to the packets it sends; probabilities from 0 to 1, each drawn on its own.
 *
 * @param delayNs how long a delayed packet is kept
 * @param seed of the port's own random numbers: the same seed and the same packets give the same faults
 */
public record FaultConfig(
    double drop, double duplicate, double reorder, double corrupt, double delay, long delayNs, long seed) {

  public FaultConfig {
    requireProbability("drop", drop);
    requireProbability("duplicate", duplicate);
    requireProbability("reorder", reorder);
    requireProbability("corrupt", corrupt);
    requireProbability("delay", delay);
    if (delayNs < 0) {
      throw new IllegalArgumentException("delayNs is " + delayNs + ": give 0 or more");
    }
  }

  public static FaultConfig none() {
    return new FaultConfig(0, 0, 0, 0, 0, 0, 0);
  }

  public boolean isNone() {
    return drop == 0 && duplicate == 0 && reorder == 0 && corrupt == 0 && delay == 0;
  }

  private static void requireProbability(String name, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(name + " is " + value + ": give a probability from 0 to 1");
    }
  }
}
