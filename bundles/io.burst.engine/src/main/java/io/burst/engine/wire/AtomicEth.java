package io.burst.engine.wire;

import java.nio.ByteBuffer;

/**
 * Atomic extended transport header (IBTA volume 1, 9.3.4): the operands of COMPARE SWAP and FETCH ADD.
 *
 * <pre>
 *  0  virtual address (64)
 *  8  remote key (32)
 * 12  swap value, or the value to add (64)
 * 20  compare value (64); FETCH ADD ignores it
 * </pre>
 */
final class AtomicEth {
  static final int BYTES = 28;

  private static final int KEY = 8;
  private static final int SWAP_OR_ADD = 12;
  private static final int COMPARE = 20;

  private AtomicEth() {}

  static void write(ByteBuffer buffer, int offset, long address, int key, long swapOrAdd, long compare) {
    buffer.putLong(offset, address);
    buffer.putInt(offset + KEY, key);
    buffer.putLong(offset + SWAP_OR_ADD, swapOrAdd);
    buffer.putLong(offset + COMPARE, compare);
  }

  static long address(ByteBuffer buffer, int offset) {
    return buffer.getLong(offset);
  }

  static int key(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset + KEY);
  }

  static long swapOrAdd(ByteBuffer buffer, int offset) {
    return buffer.getLong(offset + SWAP_OR_ADD);
  }

  static long compare(ByteBuffer buffer, int offset) {
    return buffer.getLong(offset + COMPARE);
  }
}
