package io.burst.engine.port;

import io.burst.spi.Frame;
import io.burst.spi.NextHop;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/** UDP packets to port 4791 with a recognizable payload, built field by field as RFC 791, 8200 and 768 have them. */
final class Packets {

  private Packets() {}

  static byte[] udp(InetAddress source, InetAddress destination, int sourcePort, byte[] payload) {
    byte[] from = source.getAddress();
    boolean ipv6 = from.length == 16;
    int udpBytes = 8 + payload.length;
    ByteBuffer packet = ByteBuffer.allocate((ipv6 ? 40 : 20) + udpBytes);
    if (ipv6) {
      packet.putInt(0x60000000).putShort((short) udpBytes).put((byte) 17).put((byte) 64);
      packet.put(from).put(destination.getAddress());
    } else {
      packet.put((byte) 0x45).put((byte) 0).putShort((short) (20 + udpBytes));
      packet.putShort((short) 0).putShort((short) 0x4000).put((byte) 64).put((byte) 17).putShort((short) 0);
      packet.put(from).put(destination.getAddress());
      packet.putShort(10, (short) checksum(packet.array(), 20));
    }
    packet.putShort((short) sourcePort).putShort((short) 4791).putShort((short) udpBytes).putShort((short) 0);
    return packet.put(payload).array();
  }

  /** RFC 1071, with the carry added after each step. */
  private static int checksum(byte[] bytes, int count) {
    int sum = 0;
    for (int i = 0; i < count; i += 2) {
      sum += (bytes[i] & 0xff) << 8 | bytes[i + 1] & 0xff;
      sum = sum > 0xffff ? sum - 0xffff : sum;
    }
    return 0xffff - sum;
  }

  static byte[] payload(int lengthBytes, int salt) {
    byte[] payload = new byte[lengthBytes];
    for (int i = 0; i < lengthBytes; i++) {
      payload[i] = (byte) (i * 7 + salt * 31 + (i >> 8));
    }
    return payload;
  }

  static void fill(Frame frame, byte[] packet, NextHop hop) {
    frame.buffer.put(Frame.HEADROOM_BYTES, packet);
    frame.lengthBytes = packet.length;
    frame.nextHop = hop;
  }

  static byte[] bytes(Frame frame) {
    byte[] bytes = new byte[frame.lengthBytes];
    frame.buffer.get(Frame.HEADROOM_BYTES, bytes);
    return bytes;
  }
}
