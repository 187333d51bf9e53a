package io.burst.linux;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A struct sockaddr kept as four words, so that writing one into a message allocates nothing. Immutable. */
public final class KernelAddress {

  /** Room that any of them fits. */
  public static final int MAX_BYTES = 32;

  static final int AF_INET = 2;
  static final int AF_INET6 = 10;
  static final int AF_NETLINK = 16;
  static final int AF_PACKET = 17;

  private final long word0;
  private final long word1;
  private final long word2;
  private final long word3;
  private final int lengthBytes;

  private KernelAddress(ByteBuffer bytes, int lengthBytes) {
    ByteBuffer words = bytes.clear().order(ByteOrder.nativeOrder());
    word0 = words.getLong(0);
    word1 = words.getLong(8);
    word2 = words.getLong(16);
    word3 = words.getLong(24);
    this.lengthBytes = lengthBytes;
  }

  /** sockaddr_in or sockaddr_in6, with the scope that the address carries. */
  public static KernelAddress inet(InetAddress address, int port) {
    ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
    putFamily(bytes, address instanceof Inet6Address ? AF_INET6 : AF_INET);
    bytes.putShort((short) port);
    if (address instanceof Inet6Address inet6) {
      bytes.putInt(0).put(inet6.getAddress());
      bytes.order(ByteOrder.nativeOrder()).putInt(inet6.getScopeId());
      return new KernelAddress(bytes, 28);
    }
    bytes.put(address.getAddress());
    return new KernelAddress(bytes, 16);
  }

  /** sockaddr_ll: an EtherType on one interface. */
  public static KernelAddress link(int interfaceIndex, int etherType) {
    ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
    putFamily(bytes, AF_PACKET);
    bytes.putShort((short) etherType);
    bytes.order(ByteOrder.nativeOrder()).putInt(interfaceIndex);
    return new KernelAddress(bytes, 20);
  }

  static KernelAddress netlink(int groups) {
    ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
    putFamily(bytes, AF_NETLINK);
    bytes.order(ByteOrder.nativeOrder()).putInt(8, groups);
    return new KernelAddress(bytes, 12);
  }

  public int lengthBytes() {
    return lengthBytes;
  }

  /** Writes {@link #MAX_BYTES}. */
  public void write(long address) {
    Memory.putLong(address, word0);
    Memory.putLong(address + 8, word1);
    Memory.putLong(address + 16, word2);
    Memory.putLong(address + 24, word3);
  }

  private static void putFamily(ByteBuffer bytes, int family) {
    bytes.order(ByteOrder.nativeOrder()).putShort((short) family).order(ByteOrder.BIG_ENDIAN);
  }
}
