package io.burst.engine.wire;

import java.nio.ByteBuffer;

/**
 * The IPv4 header without options (RFC 791, 3.1), as RoCEv2 uses it.
 *
 * <pre>
 *  0  version (4) = 4, header words (4) = 5 | traffic class (8) | total length (16)
 *  4  identification (16)                   | reserved, DF, MF, fragment offset (13)
 *  8  time to live (8) | protocol (8) = 17  | header checksum (16)
 * 12  source address (32)
 * 16  destination address (32)
 * </pre>
 */
final class Ipv4 {
  static final int BYTES = 20;
  static final int VERSION_AND_WORDS = 0x45;
  static final int TRAFFIC_CLASS = 1;
  static final int TOTAL_LENGTH = 2;
  static final int IDENTIFICATION = 4;
  static final int FLAGS = 6;
  static final int TIME_TO_LIVE = 8;
  static final int PROTOCOL = 9;
  static final int CHECKSUM = 10;
  static final int SOURCE = 12;
  static final int DESTINATION = 16;
  static final int DO_NOT_FRAGMENT = 0x4000;

  private static final int MORE_FRAGMENTS_OR_OFFSET = 0x3FFF;
  /** The prefix of an IPv4-mapped IPv6 address, which is how IPv4 addresses stand in GIDs. */
  private static final long MAPPED_PREFIX = 0x0000_FFFF_0000_0000L;

  private Ipv4() {}

  static boolean isFragment(ByteBuffer buffer, int offset) {
    return (buffer.getShort(offset + FLAGS) & MORE_FRAGMENTS_OR_OFFSET) != 0;
  }

  static int totalLength(ByteBuffer buffer, int offset) {
    return Short.toUnsignedInt(buffer.getShort(offset + TOTAL_LENGTH));
  }

  /** The lower half of the address as a GID, {@code ::ffff:a.b.c.d}; the upper half is 0. */
  static long mapped(ByteBuffer buffer, int addressOffset) {
    return MAPPED_PREFIX | Integer.toUnsignedLong(buffer.getInt(addressOffset));
  }

  static boolean checksumIsRight(ByteBuffer buffer, int offset) {
    return onesComplementSum(buffer, offset) == 0xFFFF;
  }

  /** Fills in the checksum; everything else in the header must be final. */
  static void writeChecksum(ByteBuffer buffer, int offset) {
    buffer.putShort(offset + CHECKSUM, (short) 0);
    buffer.putShort(offset + CHECKSUM, (short) ~onesComplementSum(buffer, offset));
  }

  /** RFC 1071: 32-bit words may be summed, the carries are folded in at the end. */
  private static int onesComplementSum(ByteBuffer buffer, int offset) {
    long sum = 0;
    for (int word = 0; word < BYTES; word += Integer.BYTES) {
      sum += Integer.toUnsignedLong(buffer.getInt(offset + word));
    }
    sum = (sum & 0xFFFF_FFFFL) + (sum >>> 32);
    sum = (sum & 0xFFFF) + (sum >>> 16);
    sum = (sum & 0xFFFF) + (sum >>> 16);
    return (int) ((sum & 0xFFFF) + (sum >>> 16));
  }
}
