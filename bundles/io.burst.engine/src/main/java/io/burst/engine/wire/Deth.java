package io.burst.engine.wire;

import java.nio.ByteBuffer;

/**
 * Datagram extended transport header (IBTA volume 1, 9.3.2), in every UD packet.
 *
 * <pre>
 *  0  queue key (32)
 *  4  reserved (8) | source queue pair (24)
 * </pre>
 */
final class Deth {
  static final int BYTES = 8;

  private static final int SOURCE_QPN = 4;
  private static final int QPN_MASK = 0xFF_FFFF;

  private Deth() {}

  static void write(ByteBuffer buffer, int offset, int queueKey, int sourceQpn) {
    buffer.putInt(offset, queueKey);
    buffer.putInt(offset + SOURCE_QPN, sourceQpn & QPN_MASK);
  }

  static int queueKey(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset);
  }

  static int sourceQpn(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset + SOURCE_QPN) & QPN_MASK;
  }
}
