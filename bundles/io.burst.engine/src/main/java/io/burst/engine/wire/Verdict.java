package io.burst.engine.wire;

/** What {@link RocePacket} found out about a packet. */
public enum Verdict {
  OK,
  /** Not a whole UDP datagram over plain IPv4 or IPv6 to port 4791: somebody else's, or a fragment. */
  FOREIGN,
  /** Lengths that contradict each other, a wrong IPv4 header checksum, another transport version, impossible fields. */
  MALFORMED,
  UNKNOWN_OPCODE,
  /** Everything fits but the ICRC; the packet's fields can be read, to be shown and never to be acted upon. */
  BAD_ICRC,
  /** {@link RocePacket#wrapHeaders} only: the recorded bytes end before the headers do. */
  TRUNCATED
}
