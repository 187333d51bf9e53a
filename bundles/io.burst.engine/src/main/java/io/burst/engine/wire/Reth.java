package io.burst.engine.wire;

import java.nio.ByteBuffer;

/**
 * RDMA extended transport header (IBTA volume 1, 9.3.3): where a WRITE, READ, FLUSH or ATOMIC WRITE goes.
 *
 * <pre>
 *  0  virtual address (64)
 *  8  remote key (32)
 * 12  length in bytes (32), of the whole message
 * </pre>
 */
final class Reth {
  static final int BYTES = 16;

  private static final int KEY = 8;
  private static final int LENGTH = 12;

  private Reth() {}

  static void write(ByteBuffer buffer, int offset, long address, int key, long lengthBytes) {
    buffer.putLong(offset, address);
    buffer.putInt(offset + KEY, key);
    buffer.putInt(offset + LENGTH, (int) lengthBytes);
  }

  static long address(ByteBuffer buffer, int offset) {
    return buffer.getLong(offset);
  }

  static int key(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset + KEY);
  }

  static long lengthBytes(ByteBuffer buffer, int offset) {
    return Integer.toUnsignedLong(buffer.getInt(offset + LENGTH));
  }
}
