package io.burst.engine.wire;

import java.nio.ByteBuffer;

/**
 * Atomic acknowledge extended transport header (IBTA volume 1, 9.5.3): what stood in memory before an atomic.
 *
 * <pre>
 *  0  original remote data (64)
 * </pre>
 */
final class AtomicAckEth {
  static final int BYTES = 8;

  private AtomicAckEth() {}

  static void write(ByteBuffer buffer, int offset, long original) {
    buffer.putLong(offset, original);
  }

  static long original(ByteBuffer buffer, int offset) {
    return buffer.getLong(offset);
  }
}
