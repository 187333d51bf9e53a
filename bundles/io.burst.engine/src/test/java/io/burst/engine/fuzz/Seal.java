package io.burst.engine.fuzz;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32;

/** A second, plain way to put the lengths, the checksum and the ICRC of a packet right. */
public final class Seal {
  static final int ICRC_BYTES = 4;

  private static final int UDP_BYTES = 8;
  private static final int BTH_BYTES = 12;

  private Seal() {}

  /** Makes of any bytes, if there are enough, an unfragmented RoCEv2 packet of just this length with a right ICRC. */
  static void repair(byte[] packet) {
    boolean ipv6 = packet.length > 0 && packet[0] >> 4 == 6;
    int udp = ipv6 ? 40 : 20;
    if (packet.length < udp + UDP_BYTES + BTH_BYTES + ICRC_BYTES || packet.length > 0xFFFF) {
      return;
    }
    ByteBuffer buffer = ByteBuffer.wrap(packet);
    if (ipv6) {
      buffer.putShort(4, (short) (packet.length - udp)).put(6, (byte) 17);
    } else {
      buffer.put(0, (byte) 0x45).putShort(2, (short) packet.length).putShort(6, (short) 0x4000).put(9, (byte) 17);
    }
    buffer.putShort(udp + 2, (short) 4791).putShort(udp + 4, (short) (packet.length - udp));
    buffer.put(udp + UDP_BYTES + 1, (byte) (buffer.get(udp + UDP_BYTES + 1) & 0xF0));
    sign(packet);
  }

  /** Puts the checksums right and leaves all else as it is; what is too short for an ICRC has none. */
  public static void sign(byte[] packet) {
    ByteBuffer buffer = ByteBuffer.wrap(packet);
    if (packet[0] >> 4 == 4) {
      buffer.putShort(10, (short) 0).putShort(10, (short) ~sum(buffer));
    }
    int udp = packet[0] >> 4 == 6 ? 40 : 20;
    if (packet.length >= udp + UDP_BYTES + BTH_BYTES + ICRC_BYTES) {
      int covered = packet.length - ICRC_BYTES;
      buffer.putInt(covered, Integer.reverseBytes(icrc(packet, covered)));
    }
  }

  static boolean isRight(byte[] packet, int lengthBytes) {
    int covered = lengthBytes - ICRC_BYTES;
    return Integer.reverseBytes(ByteBuffer.wrap(packet).getInt(covered)) == icrc(packet, covered);
  }

  private static int icrc(byte[] packet, int covered) {
    byte[] masked = new byte[8 + covered];
    System.arraycopy(packet, 0, masked, 8, covered);
    ones(masked, 0, 8);
    boolean ipv6 = packet[0] >> 4 == 6;
    int udp = 8 + (ipv6 ? 40 : 20);
    if (ipv6) {
      masked[8] |= 0x0F;
      ones(masked, 9, 12);
      ones(masked, 15, 16);
    } else {
      ones(masked, 9, 10);
      ones(masked, 16, 17);
      ones(masked, 18, 20);
    }
    ones(masked, udp + 6, udp + 8);
    ones(masked, udp + UDP_BYTES + 4, udp + UDP_BYTES + 5);
    CRC32 crc = new CRC32();
    crc.update(masked);
    return (int) crc.getValue();
  }

  private static void ones(byte[] bytes, int from, int to) {
    Arrays.fill(bytes, from, to, (byte) 0xFF);
  }

  private static int sum(ByteBuffer header) {
    int sum = 0;
    for (int i = 0; i < 20; i += 2) {
      sum += Short.toUnsignedInt(header.getShort(i));
    }
    sum = (sum & 0xFFFF) + (sum >>> 16);
    return (sum & 0xFFFF) + (sum >>> 16);
  }
}
