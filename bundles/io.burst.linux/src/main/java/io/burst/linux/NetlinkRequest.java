package io.burst.linux;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes one message of rtnetlink(7): header, fixed part, attributes. Used by one thread, once. */
final class NetlinkRequest {

  static final int HEADER_BYTES = 16;
  private static final int ATTRIBUTE_HEADER_BYTES = 4;
  private static final int MAX_BYTES = 256;

  private final ByteBuffer bytes = ByteBuffer.allocateDirect(MAX_BYTES).order(ByteOrder.nativeOrder());

  NetlinkRequest(int type, int flags) {
    bytes.putInt(0).putShort((short) type).putShort((short) flags).putInt(0).putInt(0);
  }

  NetlinkRequest putByte(int value) {
    bytes.put((byte) value);
    return this;
  }

  NetlinkRequest putShort(int value) {
    bytes.putShort((short) value);
    return this;
  }

  NetlinkRequest putInt(int value) {
    bytes.putInt(value);
    return this;
  }

  NetlinkRequest attribute(int type, byte[] value) {
    bytes.putShort((short) (ATTRIBUTE_HEADER_BYTES + value.length)).putShort((short) type).put(value);
    bytes.position((bytes.position() + 3) & ~3);
    return this;
  }

  NetlinkRequest attribute(int type, int value) {
    return attribute(type, ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder()).putInt(value).array());
  }

  /** The whole message with its length and sequence number filled in. */
  ByteBuffer finish(int sequence) {
    return bytes.putInt(0, bytes.position()).putInt(8, sequence).flip();
  }

  static int family(InetAddress address) {
    return address instanceof Inet6Address ? KernelAddress.AF_INET6 : KernelAddress.AF_INET;
  }
}
