package io.burst.engine.sim;

import io.burst.verbs.ScatterGatherList;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/** A message's place in an application's memory: up to five pieces with gaps between them. */
final class Pieces {
  private static final int MOST_CUTS = 4;
  private static final int LARGEST_GAP_BYTES = 16;

  private final int[] offset;
  private final int[] lengthBytes;

  private Pieces(int count) {
    offset = new int[count];
    lengthBytes = new int[count];
  }

  /** Hands out memory from the start of a buffer on. */
  static final class Arena {
    private int usedBytes;

    int take(int bytes) {
      int start = usedBytes;
      usedBytes += bytes;
      return start;
    }

    int usedBytes() {
      return usedBytes;
    }
  }

  static Pieces of(SplittableRandom random, Arena arena, int bytes) {
    Pieces pieces = new Pieces(1 + random.nextInt(MOST_CUTS + 1));
    int left = bytes;
    for (int i = 0; i < pieces.offset.length; i++) {
      boolean last = i == pieces.offset.length - 1;
      pieces.lengthBytes[i] = last ? left : random.nextInt(left + 1);
      pieces.offset[i] = arena.take(pieces.lengthBytes[i]);
      arena.take(random.nextInt(LARGEST_GAP_BYTES));
      left -= pieces.lengthBytes[i];
    }
    return pieces;
  }

  void list(ScatterGatherList into, long base, int key) {
    into.clear();
    for (int i = 0; i < offset.length; i++) {
      into.add(base + offset[i], lengthBytes[i], key);
    }
  }

  byte[] get(ByteBuffer memory) {
    byte[] bytes = new byte[Arrays.stream(lengthBytes).sum()];
    int done = 0;
    for (int i = 0; i < offset.length; i++) {
      memory.get(offset[i], bytes, done, lengthBytes[i]);
      done += lengthBytes[i];
    }
    return bytes;
  }

  /** Writes a message from the first piece on; room that it doesn't need stays as it was. */
  void put(ByteBuffer memory, byte[] message) {
    int done = 0;
    for (int i = 0; i < offset.length && done < message.length; i++) {
      int run = Math.min(lengthBytes[i], message.length - done);
      memory.put(offset[i], message, done, run);
      done += run;
    }
  }
}
