package io.burst.linux;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads one message of rtnetlink(7) behind its header: the fixed part, then attributes. Immutable. */
final class NetlinkReply {

  private static final int ATTRIBUTE_HEADER_BYTES = 4;
  private static final int TYPE_MASK = 0x3fff;

  private final ByteBuffer bytes;
  private final int fixedBytes;

  NetlinkReply(byte[] payload, int fixedBytes) {
    bytes = ByteBuffer.wrap(payload).order(ByteOrder.nativeOrder());
    this.fixedBytes = fixedBytes;
  }

  int unsignedByteAt(int offset) {
    return Byte.toUnsignedInt(bytes.get(offset));
  }

  int unsignedShortAt(int offset) {
    return Short.toUnsignedInt(bytes.getShort(offset));
  }

  int intAt(int offset) {
    return bytes.getInt(offset);
  }

  /** The attribute's value, or null when it isn't there. */
  byte[] attribute(int type) {
    int offset = fixedBytes;
    while (offset + ATTRIBUTE_HEADER_BYTES <= bytes.limit()) {
      int length = unsignedShortAt(offset);
      if (length < ATTRIBUTE_HEADER_BYTES || offset + length > bytes.limit()) {
        return null;
      }
      if ((unsignedShortAt(offset + 2) & TYPE_MASK) == type) {
        byte[] value = new byte[length - ATTRIBUTE_HEADER_BYTES];
        bytes.get(offset + ATTRIBUTE_HEADER_BYTES, value);
        return value;
      }
      offset += (length + 3) & ~3;
    }
    return null;
  }

  int intAttribute(int type, int absent) {
    byte[] value = attribute(type);
    return value == null || value.length < Integer.BYTES
        ? absent
        : ByteBuffer.wrap(value).order(ByteOrder.nativeOrder()).getInt();
  }
}
