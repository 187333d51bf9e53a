package io.burst.tools;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Bytes that every end can compute: a function of a seed, a message's number and the offset in it. Not safe for use by
 * several threads.
 */
final class MessagePattern {

  /** What a destination holds before a message arrives. */
  static final byte POISON = (byte) 0xa5;

  /** The page size that ibv_rc_pingpong -c looks at; larger page sizes are multiples of it. */
  static final int PAGE_BYTES = 4096;

  static final long NEVER = -1;

  private static final int WINDOW_BYTES = 4 * PAGE_BYTES;
  private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

  private final long seed;
  private final long zeroedMessage;
  private final ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES).order(ByteOrder.LITTLE_ENDIAN);

  MessagePattern(long seed) {
    this(seed, NEVER);
  }

  /** @param zeroedMessage the message whose pages all start with a 0 byte */
  MessagePattern(long seed, long zeroedMessage) {
    this.seed = seed;
    this.zeroedMessage = zeroedMessage;
  }

  /** Writes a message to a place in memory. */
  void fill(ByteBuffer target, int start, int lengthBytes, long message) {
    for (int offset = 0; offset < lengthBytes; offset += WINDOW_BYTES) {
      int count = Math.min(WINDOW_BYTES, lengthBytes - offset);
      compute(message, offset);
      target.put(start + offset, window, 0, count);
    }
  }

  /** @return the offset of the first wrong byte, -1 when there is none */
  int mismatch(ByteBuffer received, int start, int lengthBytes, long message) {
    for (int offset = 0; offset < lengthBytes; offset += WINDOW_BYTES) {
      int count = Math.min(WINDOW_BYTES, lengthBytes - offset);
      compute(message, offset);
      int wrong = window.slice(0, count).mismatch(received.slice(start + offset, count));
      if (wrong >= 0) {
        return offset + wrong;
      }
    }
    return -1;
  }

  static void poison(ByteBuffer target, int start, int lengthBytes) {
    byte[] poison = new byte[Math.min(WINDOW_BYTES, lengthBytes)];
    Arrays.fill(poison, POISON);
    for (int offset = 0; offset < lengthBytes; offset += WINDOW_BYTES) {
      target.put(start + offset, poison, 0, Math.min(WINDOW_BYTES, lengthBytes - offset));
    }
  }

  private void compute(long message, int offset) {
    long word = mix(seed + GOLDEN_GAMMA * mix(message)) + offset / Long.BYTES * GOLDEN_GAMMA;
    for (int i = 0; i < WINDOW_BYTES; i += Long.BYTES) {
      window.putLong(i, mix(word));
      word += GOLDEN_GAMMA;
    }
    if (message == zeroedMessage) {
      for (int i = 0; i < WINDOW_BYTES; i += PAGE_BYTES) {
        window.put(i, (byte) 0);
      }
    }
  }

  /** The finalizer of SplitMix64. */
  private static long mix(long value) {
    long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
    return mixed ^ mixed >>> 31;
  }
}
