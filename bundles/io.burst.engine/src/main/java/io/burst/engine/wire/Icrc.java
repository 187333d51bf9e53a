package io.burst.engine.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * The invariant CRC at the end of a packet (IBTA annex A17.3, volume 1 7.8.1): CRC-32 over eight bytes of ones, then
 * the packet from its IP header to its pad, with all that routers and switches may change taken as ones. Owned by the
 * thread that owns the packet or writer it works for.
 */
public final class Icrc {
  static final int BYTES = 4;

  /** These stand for the local route header that RoCEv2 doesn't have. */
  private static final int ONES_BYTES = 8;

  private final CRC32 crc = new CRC32();
  private final byte[] head = new byte[ONES_BYTES + Ipv6.BYTES + Udp.BYTES + Bth.BYTES];

  public Icrc() {
    Arrays.fill(head, 0, ONES_BYTES, (byte) 0xFF);
  }

  /**
   * Computes the ICRC of a packet that starts with its IP header and whose lengths are final. The buffer's position and
   * limit serve as the window of the sum and are restored, which costs no garbage however many buffers there are.
   *
   * @param ipHeaderBytes 20 for IPv4, 40 for IPv6
   * @param coveredBytes from the IP header to the end of the pad
   */
  public int compute(ByteBuffer buffer, int offset, int ipHeaderBytes, int coveredBytes) {
    int headBytes = ipHeaderBytes + Udp.BYTES + Bth.BYTES;
    buffer.get(offset, head, ONES_BYTES, headBytes);
    maskChangeable(ipHeaderBytes);
    crc.reset();
    crc.update(head, 0, ONES_BYTES + headBytes);
    int position = buffer.position();
    int limit = buffer.limit();
    buffer.limit(offset + coveredBytes).position(offset + headBytes);
    crc.update(buffer);
    buffer.limit(limit).position(position);
    return (int) crc.getValue();
  }

  /** Reads a stored ICRC: it is little-endian, unlike everything else in a packet. */
  static int read(ByteBuffer buffer, int offset) {
    return Integer.reverseBytes(buffer.getInt(offset));
  }

  static void write(ByteBuffer buffer, int offset, int icrc) {
    buffer.putInt(offset, Integer.reverseBytes(icrc));
  }

  private void maskChangeable(int ipHeaderBytes) {
    if (ipHeaderBytes == Ipv6.BYTES) {
      head[ONES_BYTES] |= 0x0F;
      Arrays.fill(head, ONES_BYTES + 1, ONES_BYTES + Ipv6.PAYLOAD_LENGTH, (byte) 0xFF);
      head[ONES_BYTES + Ipv6.HOP_LIMIT] = (byte) 0xFF;
    } else {
      head[ONES_BYTES + Ipv4.TRAFFIC_CLASS] = (byte) 0xFF;
      head[ONES_BYTES + Ipv4.TIME_TO_LIVE] = (byte) 0xFF;
      head[ONES_BYTES + Ipv4.CHECKSUM] = (byte) 0xFF;
      head[ONES_BYTES + Ipv4.CHECKSUM + 1] = (byte) 0xFF;
    }
    int udp = ONES_BYTES + ipHeaderBytes;
    head[udp + Udp.CHECKSUM] = (byte) 0xFF;
    head[udp + Udp.CHECKSUM + 1] = (byte) 0xFF;
    head[udp + Udp.BYTES + Bth.CONGESTION] = (byte) 0xFF;
  }
}
