package io.burst.itests.peer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A few rows of choices that have every pair of choices of any two factors in at least one row. Greedy and without
 * chance: the same factors give the same rows.
 */
final class Pairwise {

  private record Pair(int factor, int choice, int otherFactor, int otherChoice) {}

  private final int[] choices;
  private final Set<Pair> missing = new LinkedHashSet<>();

  private Pairwise(int... choices) {
    this.choices = choices;
  }

  /**
   * @param choices how many choices each factor has
   * @return rows of a choice for each factor
   */
  static List<int[]> rows(int... choices) {
    Pairwise pairwise = new Pairwise(choices);
    pairwise.collect();
    List<int[]> rows = new ArrayList<>();
    while (!pairwise.missing.isEmpty()) {
      rows.add(pairwise.nextRow());
    }
    return rows;
  }

  private void collect() {
    for (int factor = 0; factor < choices.length; factor++) {
      for (int other = factor + 1; other < choices.length; other++) {
        for (int choice = 0; choice < choices[factor]; choice++) {
          for (int otherChoice = 0; otherChoice < choices[other]; otherChoice++) {
            missing.add(new Pair(factor, choice, other, otherChoice));
          }
        }
      }
    }
  }

  /** Starts with a missing pair, then takes for each factor the choice that adds most missing ones. */
  private int[] nextRow() {
    int[] row = new int[choices.length];
    Arrays.fill(row, -1);
    Pair first = missing.iterator().next();
    row[first.factor] = first.choice;
    row[first.otherFactor] = first.otherChoice;
    missing.remove(first);
    for (int factor = 0; factor < choices.length; factor++) {
      if (row[factor] < 0) {
        row[factor] = best(row, factor);
      }
      strike(row);
    }
    return row;
  }

  private int best(int[] row, int factor) {
    int best = 0;
    int most = -1;
    for (int choice = 0; choice < choices[factor]; choice++) {
      row[factor] = choice;
      int gain = (int) pairs(row).stream().filter(missing::contains).count();
      if (gain > most) {
        most = gain;
        best = choice;
      }
    }
    row[factor] = -1;
    return best;
  }

  private void strike(int[] row) {
    missing.removeAll(pairs(row));
  }

  private static List<Pair> pairs(int[] row) {
    List<Pair> pairs = new ArrayList<>();
    for (int factor = 0; factor < row.length; factor++) {
      for (int other = factor + 1; other < row.length; other++) {
        if (row[factor] >= 0 && row[other] >= 0) {
          pairs.add(new Pair(factor, row[factor], other, row[other]));
        }
      }
    }
    return pairs;
  }
}
