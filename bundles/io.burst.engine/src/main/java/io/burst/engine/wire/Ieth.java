package io.burst.engine.wire;

import java.nio.ByteBuffer;

/**
 * Invalidate extended transport header (IBTA volume 1, 9.3.7): the key that a SEND with invalidate takes away.
 *
 * <pre>
 *  0  remote key (32)
 * </pre>
 */
final class Ieth {
  static final int BYTES = 4;

  private Ieth() {}

  static void write(ByteBuffer buffer, int offset, int key) {
    buffer.putInt(offset, key);
  }

  static int key(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset);
  }
}
