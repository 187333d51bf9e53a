package io.burst.engine.wire;

import java.nio.ByteBuffer;

/**
 * The UDP header (RFC 768) as RoCEv2 uses it (IBTA annex A17.3). The checksum is sent as 0 and ignored when received:
 * the ICRC covers everything that it would.
 *
 * <pre>
 *  0  source port (16) | destination port (16) = 4791
 *  4  length (16)      | checksum (16)
 * </pre>
 */
final class Udp {
  static final int BYTES = 8;
  static final int PROTOCOL = 17;
  static final int ROCE_PORT = 4791;
  static final int SOURCE_PORT = 0;
  static final int DESTINATION_PORT = 2;
  static final int LENGTH = 4;
  static final int CHECKSUM = 6;

  private Udp() {}

  static int sourcePort(ByteBuffer buffer, int offset) {
    return Short.toUnsignedInt(buffer.getShort(offset + SOURCE_PORT));
  }

  static int destinationPort(ByteBuffer buffer, int offset) {
    return Short.toUnsignedInt(buffer.getShort(offset + DESTINATION_PORT));
  }

  static int length(ByteBuffer buffer, int offset) {
    return Short.toUnsignedInt(buffer.getShort(offset + LENGTH));
  }
}
