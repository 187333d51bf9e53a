package io.burst.engine.wire;

/**
 * The IPv6 header without extension headers (RFC 8200, 3), as RoCEv2 uses it.
 *
 * <pre>
 *  0  version (4) = 6 | traffic class (8) | flow label (20)
 *  4  payload length (16) | next header (8) = 17 | hop limit (8)
 *  8  source address (128)
 * 24  destination address (128)
 * </pre>
 */
final class Ipv6 {
  static final int BYTES = 40;
  static final int PAYLOAD_LENGTH = 4;
  static final int NEXT_HEADER = 6;
  static final int HOP_LIMIT = 7;
  static final int SOURCE = 8;
  static final int DESTINATION = 24;

  private Ipv6() {}
}
