package io.burst.engine.sim;

import io.burst.engine.sim.model.Pieces;
import java.util.SplittableRandom;

/** A registered region that applications take the buffers of their requests from. */
final class LocalMemory {
  private static final int MOST_PIECES = 16;
  private static final int LARGEST_GAP_BYTES = 4;

  private final int key;
  private final int end;
  private int next;

  LocalMemory(int key, int start, int lengthBytes) {
    this.key = key;
    next = start;
    end = start + lengthBytes;
  }

  /** Memory for a message, in one to sixteen pieces with gaps between them. */
  Pieces take(SplittableRandom random, int bytes) {
    int count = random.nextBoolean() ? 1 : 1 + random.nextInt(MOST_PIECES);
    int[] offset = new int[count];
    int[] lengthBytes = new int[count];
    int[] keys = new int[count];
    int left = bytes;
    for (int i = 0; i < count; i++) {
      lengthBytes[i] = i == count - 1 ? left : random.nextInt(left + 1);
      offset[i] = next;
      keys[i] = key;
      next += lengthBytes[i] + random.nextInt(LARGEST_GAP_BYTES);
      left -= lengthBytes[i];
    }
    if (next > end) {
      throw new IllegalStateException("the requests of a run take more memory than there is: give it more");
    }
    return new Pieces(offset, lengthBytes, keys);
  }

  int key() {
    return key;
  }

  int end() {
    return end;
  }
}
