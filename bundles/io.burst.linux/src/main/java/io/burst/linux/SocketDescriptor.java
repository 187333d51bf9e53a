package io.burst.linux;

import java.net.Inet6Address;
import java.net.InetAddress;

/** A socket that never blocks. Set up by one thread, then owned by the worker that polls it. */
public final class SocketDescriptor implements AutoCloseable {

  /** What can be set, by its name in the manual. */
  public enum Option {
    IP_MTU_DISCOVER(0, 10),
    IP_FREEBIND(0, 15),
    SO_SNDBUF(1, 7),
    SO_RCVBUF(1, 8),
    SO_NO_CHECK(1, 11),
    SO_SNDBUFFORCE(1, 32),
    SO_RCVBUFFORCE(1, 33),
    UDP_NO_CHECK6_TX(17, 101),
    UDP_NO_CHECK6_RX(17, 102),
    IPV6_MTU_DISCOVER(41, 23),
    IPV6_V6ONLY(41, 26),
    IPV6_DONTFRAG(41, 62),
    IPV6_FREEBIND(41, 78),
    PACKET_IGNORE_OUTGOING(263, 23);

    private final int level;
    private final int name;

    Option(int level, int name) {
      this.level = level;
      this.name = name;
    }
  }

  private static final int SOCK_DGRAM = 2;
  private static final int SOCK_RAW = 3;
  private static final int SOCK_NONBLOCK = 0x800;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int SOL_SOCKET = 1;
  private static final int SO_ATTACH_FILTER = 26;
  private static final int SO_MEMINFO = 55;
  private static final int MEMINFO_BYTES = 36;
  private static final int MEMINFO_DROPS_OFFSET = 32;

  private int descriptor;

  private SocketDescriptor(int domain, int type, int protocol) throws SystemCallException {
    descriptor = Libc.check("socket", Libc.socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol));
  }

  /** A UDP socket of the address's family. */
  public static SocketDescriptor udp(InetAddress address) throws SystemCallException {
    int family = address instanceof Inet6Address ? KernelAddress.AF_INET6 : KernelAddress.AF_INET;
    return new SocketDescriptor(family, SOCK_DGRAM, 0);
  }

  /** An AF_PACKET socket that sees whole frames, and none before it is bound. */
  public static SocketDescriptor packet() throws SystemCallException {
    return new SocketDescriptor(KernelAddress.AF_PACKET, SOCK_RAW, 0);
  }

  static SocketDescriptor netlink() throws SystemCallException {
    return new SocketDescriptor(KernelAddress.AF_NETLINK, SOCK_RAW, 0);
  }

  /** -1 once closed. */
  public int descriptor() {
    return descriptor;
  }

  public void bind(KernelAddress address) throws SystemCallException {
    long memory = Memory.allocate(KernelAddress.MAX_BYTES);
    try {
      address.write(memory);
      Libc.check("bind", Libc.bind(descriptor, memory, address.lengthBytes()));
    } finally {
      Memory.free(memory);
    }
  }

  public void set(Option option, int value) throws SystemCallException {
    long memory = Memory.allocate(Integer.BYTES);
    try {
      Memory.putInt(memory, value);
      int result = Libc.setsockopt(descriptor, option.level, option.name, memory, Integer.BYTES);
      Libc.check("setsockopt " + option, result);
    } finally {
      Memory.free(memory);
    }
  }

  /** Both buffers to that size, or to what the system allows this user. */
  public void setBuffers(int sizeBytes) throws SystemCallException {
    setOrElse(Option.SO_RCVBUFFORCE, Option.SO_RCVBUF, sizeBytes);
    setOrElse(Option.SO_SNDBUFFORCE, Option.SO_SNDBUF, sizeBytes);
  }

  private void setOrElse(Option privileged, Option limited, int value) throws SystemCallException {
    try {
      set(privileged, value);
    } catch (SystemCallException e) {
      if (!e.isNotPermitted()) {
        throw e;
      }
      set(limited, value);
    }
  }

  public void attach(SocketFilter filter) throws SystemCallException {
    int programBytes = 16;
    long memory = Memory.allocate(programBytes + filter.sizeBytes());
    try {
      Memory.putShort(memory, (short) filter.count());
      Memory.putLong(memory + 8, memory + programBytes);
      filter.write(memory + programBytes);
      int result = Libc.setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, memory, programBytes);
      Libc.check("setsockopt SO_ATTACH_FILTER", result);
    } finally {
      Memory.free(memory);
    }
  }

  /** How many packets the kernel dropped here because the receive buffer was full; wraps at 2^32. */
  public long drops() throws SystemCallException {
    long memory = Memory.allocate(MEMINFO_BYTES + Integer.BYTES);
    try {
      long sizeAddress = memory + MEMINFO_BYTES;
      Memory.putInt(sizeAddress, MEMINFO_BYTES);
      Libc.check("getsockopt SO_MEMINFO", Libc.getsockopt(descriptor, SOL_SOCKET, SO_MEMINFO, memory, sizeAddress));
      return Integer.toUnsignedLong(Memory.getInt(memory + MEMINFO_DROPS_OFFSET));
    } finally {
      Memory.free(memory);
    }
  }

  @Override
  public void close() {
    if (descriptor >= 0) {
      Libc.close(descriptor);
      descriptor = -1;
    }
  }
}
