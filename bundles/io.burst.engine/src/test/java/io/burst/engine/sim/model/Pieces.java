package io.burst.engine.sim.model;

import java.util.Arrays;

/**
 * A message's place in a host's memory, in order.
 *
 * @param offset of each piece in the host's memory
 * @param key that each piece is named by
 */
public record Pieces(int[] offset, int[] lengthBytes, int[] key) {

  static final Pieces NONE = new Pieces(new int[0], new int[0], new int[0]);

  public int count() {
    return offset.length;
  }

  public int totalBytes() {
    return Arrays.stream(lengthBytes).sum();
  }
}
