package io.burst.engine.fuzz;

import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any packets may come, in any order and at any moment: well-formed and damaged ones, requests and answers, to queue
 * pairs with work of their own. What each may change is said by models that share nothing with the engine.
 *
 * <p>Without the fuzzer this runs over random inputs; with it (profile fuzz) coverage leads the way.
 */
class SequenceFuzzTest {
  private static final int SEEDS = 100;
  private static final int RUNS = 20_000;
  private static final int LONGEST_BYTES = 800;

  private static final SequenceDriver DRIVER = new SequenceDriver();

  static Stream<Arguments> seeds() {
    return Stream.iterate(1L, seed -> seed + 1).limit(SEEDS).map(seed -> arguments(input(seed)));
  }

  @MethodSource("seeds")
  @FuzzTest
  void anySequence(byte[] input) {
    if (input != null) {
      DRIVER.run(input);
    }
  }

  @Test
  void manySequences() {
    for (int seed = 1; seed <= RUNS; seed++) {
      byte[] input = input(seed);
      try {
        DRIVER.run(input);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + HexFormat.of().formatHex(input), e);
      }
    }
  }

  private static byte[] input(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] bytes = new byte[random.nextInt(LONGEST_BYTES)];
    random.nextBytes(bytes);
    return bytes;
  }
}
