package io.burst.engine.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.qp.Counter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Two endpoints under a virtual clock over a faulty link, with random work, held against a plain model. The system
 * properties sim.runs and sim.seed (profile sim) say how many runs, and which is the first; a failure names its seed,
 * which alone repeats it.
 */
class SimulationTest {
  private static final int BOUNDED_RUNS = 2000;
  private static final int RUNS = Integer.getInteger("sim.runs", BOUNDED_RUNS);
  private static final long FIRST_SEED = Long.getLong("sim.seed", 1);
  private static final int MOST_MISMATCHES_TOLD = 5;

  private final Histogram histogram = new Histogram();

  @Test
  void theTransportDoesWhatTheModelSays() throws IOException {
    List<AssertionError> mismatches = new ArrayList<>();
    for (long seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
      try {
        new Run(seed, histogram).execute();
      } catch (RuntimeException | AssertionError e) {
        mismatches.add(new AssertionError("seed " + seed + ": " + e.getMessage(), e));
      }
    }
    System.out.print(histogram);
    System.out.println(RUNS + " runs, " + mismatches.size() + " mismatches");
    mismatches.stream().limit(MOST_MISMATCHES_TOLD).forEach(e -> System.out.println(e.getMessage()));
    if (!mismatches.isEmpty()) {
      throw mismatches.get(0);
    }
    if (RUNS >= BOUNDED_RUNS) {
      for (Counter counter : List.of(Counter.IMPLIED_NAK_SEQ_ERR)) {
        assertThat(histogram.get("counters", counter.label())).as(counter.label()).isGreaterThan(RUNS);
      }
    }
  }
}
