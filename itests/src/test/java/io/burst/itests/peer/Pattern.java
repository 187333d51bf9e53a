package io.burst.itests.peer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The bytes of a seed, as verbs-peer has them: the output of SplitMix64, little-endian. */
final class Pattern {

  private Pattern() {}

  static void fill(ByteBuffer buffer, int offset, int lengthBytes, long seed) {
    ByteBuffer part = part(buffer, offset, lengthBytes);
    for (long index = 0; part.remaining() >= Long.BYTES; index++) {
      part.putLong(eightBytes(seed, index));
    }
    long rest = eightBytes(seed, lengthBytes / Long.BYTES);
    for (; part.hasRemaining(); rest >>>= Byte.SIZE) {
      part.put((byte) rest);
    }
  }

  /** @return where the first other byte is, or -1 */
  static int mismatch(ByteBuffer buffer, int offset, int lengthBytes, long seed) {
    ByteBuffer expected = ByteBuffer.allocate(lengthBytes);
    fill(expected, 0, lengthBytes, seed);
    return part(buffer, offset, lengthBytes).mismatch(expected);
  }

  private static ByteBuffer part(ByteBuffer buffer, int offset, int lengthBytes) {
    return buffer.slice(offset, lengthBytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static long eightBytes(long seed, long index) {
    long z = seed + (index + 1) * 0x9e3779b97f4a7c15L;
    z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }
}
