package io.burst.engine.decode;

import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.Verdict;
import java.nio.ByteBuffer;

/**
 * Recognizes a packet that one wrong byte made somebody else's: with IP version, protocol, fragment flags or UDP port
 * put back, everything down to the ICRC is right, which nobody else's packet is by chance. Owned by the thread that
 * decodes the file.
 */
final class DamagedHeader {
  private static final int IPV4_FIRST = 0x45;
  private static final int IPV6_VERSION = 0x60;
  private static final int DO_NOT_FRAGMENT = 0x40;
  private static final int UDP = 17;
  private static final int PORT_HIGH = 4791 >> 8;
  private static final int PORT_LOW = 4791 & 0xFF;

  private final RocePacket packet;

  DamagedHeader(RocePacket packet) {
    this.packet = packet;
  }

  /** The offset, from the IP header, of the byte that is now put back; or -1, with all as it was. */
  int repair(ByteBuffer frame, int ip, int bytes) {
    if (bytes == 0) {
      return -1;
    }
    int ipv6First = IPV6_VERSION | frame.get(ip) & 0x0F;
    int[][] offsetsAndValues = {
      {0, IPV4_FIRST}, {6, DO_NOT_FRAGMENT}, {6, 0}, {7, 0}, {9, UDP}, {22, PORT_HIGH}, {23, PORT_LOW},
      {0, ipv6First}, {6, UDP}, {42, PORT_HIGH}, {43, PORT_LOW},
    };
    for (int[] candidate : offsetsAndValues) {
      if (candidate[0] < bytes && isRightWith(frame, ip, bytes, candidate[0], (byte) candidate[1])) {
        return candidate[0];
      }
    }
    return -1;
  }

  private boolean isRightWith(ByteBuffer frame, int ip, int bytes, int offset, byte value) {
    byte found = frame.get(ip + offset);
    frame.put(ip + offset, value);
    if (packet.wrap(frame, ip, bytes) == Verdict.OK) {
      return true;
    }
    frame.put(ip + offset, found);
    return false;
  }
}
