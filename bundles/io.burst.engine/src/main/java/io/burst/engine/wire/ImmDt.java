package io.burst.engine.wire;

import java.nio.ByteBuffer;

/**
 * Immediate data (IBTA volume 1, 9.3.6). Opaque: the four bytes as they are on the wire, read as one big-endian word.
 *
 * <pre>
 *  0  immediate data (32)
 * </pre>
 */
final class ImmDt {
  static final int BYTES = 4;

  private ImmDt() {}

  static void write(ByteBuffer buffer, int offset, int immediate) {
    buffer.putInt(offset, immediate);
  }

  static int immediate(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset);
  }
}
