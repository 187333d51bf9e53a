package io.burst.verbs;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A RoCEv2 GID (ibv_gid): an IPv6 address, or an IPv4 address as ::ffff:a.b.c.d.
 *
 * @param high the first eight bytes, big-endian
 * @param low the last eight bytes, big-endian
 */
public record Gid(long high, long low) {

  private static final int BYTES = 16;

  public static Gid of(InetAddress address) {
    byte[] raw = address.getAddress();
    if (raw.length == 4) {
      return new Gid(0, 0xffff_0000_0000L | Integer.toUnsignedLong(ByteBuffer.wrap(raw).getInt()));
    }
    ByteBuffer bytes = ByteBuffer.wrap(raw);
    return new Gid(bytes.getLong(), bytes.getLong());
  }

  public boolean isIpv4() {
    return high == 0 && low >>> 32 == 0xffff;
  }

  /** fe80::/10, which nothing chooses by itself. */
  public boolean isLinkLocal() {
    return high >>> 54 == 0xfe80 >>> 6;
  }

  public InetAddress address() {
    byte[] raw = ByteBuffer.allocate(BYTES).putLong(high).putLong(low).array();
    try {
      return InetAddress.getByAddress(isIpv4() ? Arrays.copyOfRange(raw, 12, BYTES) : raw);
    } catch (UnknownHostException impossible) {
      throw new AssertionError("4 and 16 bytes are always an address", impossible);
    }
  }

  @Override
  public String toString() {
    return (isIpv4() ? "::ffff:" : "") + address().getHostAddress();
  }
}
