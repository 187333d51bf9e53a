package io.burst.engine.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * How long the messages of one direction are: both ends know of those that take receives, so that the receives fit.
 * Belongs to the thread of its run.
 */
final class Messages {
  static final int LONGEST_BYTES = 24 * 1024;

  private static final int BUDGET_BYTES = 48 * 1024;
  private static final int SHORT_BYTES = 9;

  private final SplittableRandom random;
  private final int mtuBytes;
  private final int roomBytes;
  private final List<Integer> consuming = new ArrayList<>();
  private int drawnBytes;

  /** @param roomBytes what receives have at most for them */
  Messages(SplittableRandom random, int mtuBytes, int roomBytes) {
    this.random = random;
    this.roomBytes = roomBytes;
    this.mtuBytes = mtuBytes;
  }

  /** Of the message that takes this receive. */
  int consuming(int receive) {
    while (consuming.size() <= receive) {
      consuming.add(Math.min(roomBytes, next()));
    }
    return consuming.get(receive);
  }

  /** What receives have at most, beside some spare bytes. */
  int roomBytes() {
    return roomBytes == LONGEST_BYTES ? 0 : roomBytes;
  }

  /** Of one more message: often around the path MTU's multiples, where segmentation has its corners. */
  int next() {
    int length = Math.min(LONGEST_BYTES, drawnBytes < BUDGET_BYTES ? draw() : random.nextInt(SHORT_BYTES));
    drawnBytes += length;
    return length;
  }

  private int draw() {
    int kind = random.nextInt(100);
    if (kind < 25) {
      return random.nextInt(SHORT_BYTES);
    }
    if (kind < 50) {
      return Math.max(0, mtuBytes * random.nextInt(4) + random.nextInt(-1, 2));
    }
    if (kind < 80) {
      return random.nextInt(mtuBytes);
    }
    return kind < 97 ? random.nextInt(4 * mtuBytes) : random.nextInt(48 * mtuBytes);
  }
}
