package io.burst.engine.port;

import io.burst.linux.KernelAddress;
import io.burst.linux.Memory;
import io.burst.linux.RouteNetlink;
import io.burst.linux.SocketDescriptor;
import io.burst.linux.SocketDescriptor.Option;
import io.burst.linux.SystemCallException;
import io.burst.spi.Frame;
import io.burst.spi.NextHop;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Speaks through an unprivileged UDP socket on one address. The kernel makes and takes the IP and UDP headers, so this
 * port writes them anew on receive, as the sender's ICRC covered them.
 *
 * <p>That works where the headers can be foretold: the socket's own port as source port, DF set, and the IPv4
 * identification 0 that Linux gives such packets of an unconnected socket. So IPv4 peers have to be BURST (a peer that
 * counts its identification up fails its ICRC here); IPv6 has no such field, and any peer will do. What the ICRC
 * doesn't cover is not passed on: traffic class and hop limit are the kernel's.
 *
 * <p>Owned by the worker that polls it.
 */
final class UdpPort extends SocketPort {

  private static final int UDP_HEADER_BYTES = 8;
  private static final int IPV4_HEADER_BYTES = 20;
  private static final int IPV6_HEADER_BYTES = 40;
  private static final int PROTOCOL_UDP = 17;
  private static final int HOP_LIMIT = 64;
  private static final int DONT_FRAGMENT = 0x4000;
  private static final int PMTUDISC_DO = 2;

  private static final int NAME_PORT_OFFSET = 2;
  private static final int IPV4_NAME_BYTES = 16;
  private static final int IPV4_NAME_ADDRESS_OFFSET = 4;
  private static final int IPV6_NAME_BYTES = 28;
  private static final int IPV6_NAME_ADDRESS_OFFSET = 8;

  /** Where a packet goes: the peer's port 4791. */
  private record SocketHop(KernelAddress address) implements NextHop {}

  private final InetAddress address;
  private final boolean ipv6;
  private final long addressHigh;
  private final long addressLow;

  private UdpPort(SocketDescriptor socket, boolean ipv6, int mtuBytes, InetAddress address) {
    super(
        socket,
        ipv6 ? IPV6_NAME_BYTES : IPV4_NAME_BYTES,
        Frame.HEADROOM_BYTES + (ipv6 ? IPV6_HEADER_BYTES : IPV4_HEADER_BYTES) + UDP_HEADER_BYTES,
        mtuBytes,
        List.of(address));
    this.address = address;
    this.ipv6 = ipv6;
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    addressHigh = ipv6 ? bytes.getLong() : 0;
    addressLow = ipv6 ? bytes.getLong() : Integer.toUnsignedLong(bytes.getInt());
  }

  static UdpPort open(InetAddress address, int mtuBytes) throws PortException {
    boolean ipv6 = address instanceof Inet6Address;
    SocketDescriptor socket = null;
    try {
      socket = SocketDescriptor.udp(address);
      if (ipv6) {
        socket.set(Option.IPV6_V6ONLY, 1);
        socket.set(Option.IPV6_MTU_DISCOVER, PMTUDISC_DO);
        socket.set(Option.IPV6_DONTFRAG, 1);
        // RoCEv2 senders leave the UDP checksum 0: the ICRC covers more.
        socket.set(Option.UDP_NO_CHECK6_RX, 1);
        socket.set(Option.UDP_NO_CHECK6_TX, 1);
      } else {
        socket.set(Option.IP_MTU_DISCOVER, PMTUDISC_DO);
        socket.set(Option.SO_NO_CHECK, 1);
      }
      enlargeBuffers(socket);
      socket.bind(KernelAddress.inet(address, Ports.ROCE_PORT));
      return new UdpPort(socket, ipv6, mtuBytes, address);
    } catch (SystemCallException e) {
      if (socket != null) {
        socket.close();
      }
      throw Ports.cannotBind(address, e);
    }
  }

  @Override
  public int udpSourcePort(int flowPort) {
    return Ports.ROCE_PORT;
  }

  @Override
  public NextHop resolve(InetAddress local, InetAddress remote) throws IOException {
    if (!local.equals(address)) {
      throw new IOException(local.getHostAddress() + " is not this port's address, " + address.getHostAddress());
    }
    InetAddress scoped = scoped(remote);
    try (RouteNetlink netlink = new RouteNetlink()) {
      netlink.route(local, scoped, scopeOf(scoped));
    } catch (SystemCallException e) {
      throw new IOException(
          "no route from " + local.getHostAddress() + " to " + remote.getHostAddress() + ": see ip route get", e);
    }
    return new SocketHop(KernelAddress.inet(scoped, Ports.ROCE_PORT));
  }

  /** A link-local peer is on the link of our own address. */
  private InetAddress scoped(InetAddress remote) throws IOException {
    return remote instanceof Inet6Address && remote.isLinkLocalAddress()
        ? Inet6Address.getByAddress(null, remote.getAddress(), scopeOf(address))
        : remote;
  }

  private static int scopeOf(InetAddress address) {
    return address instanceof Inet6Address inet6 && inet6.isLinkLocalAddress() ? inet6.getScopeId() : 0;
  }

  @Override
  void prepare(Frame frame, long nameAddress) {
    ((SocketHop) frame.nextHop).address.write(nameAddress);
  }

  @Override
  void complete(Frame frame, long nameAddress) {
    if (ipv6) {
      completeIpv6(frame, nameAddress);
    } else {
      completeIpv4(frame, nameAddress);
    }
  }

  private void completeIpv4(Frame frame, long nameAddress) {
    ByteBuffer buffer = frame.buffer;
    int ip = Frame.HEADROOM_BYTES;
    buffer.putInt(ip, 0x4500 << 16 | frame.lengthBytes);
    buffer.putInt(ip + 4, DONT_FRAGMENT);
    buffer.putInt(ip + 8, HOP_LIMIT << 24 | PROTOCOL_UDP << 16);
    Memory.putInt(frame.address + ip + 12, Memory.getInt(nameAddress + IPV4_NAME_ADDRESS_OFFSET));
    buffer.putInt(ip + 16, (int) addressLow);
    buffer.putShort(ip + 10, headerChecksum(buffer, ip));
    completeUdp(frame, ip + IPV4_HEADER_BYTES, nameAddress, frame.lengthBytes - IPV4_HEADER_BYTES);
  }

  private static short headerChecksum(ByteBuffer buffer, int ip) {
    int sum = 0;
    for (int i = 0; i < IPV4_HEADER_BYTES; i += Short.BYTES) {
      sum += Short.toUnsignedInt(buffer.getShort(ip + i));
    }
    sum = (sum & 0xffff) + (sum >>> 16);
    return (short) ~(sum + (sum >>> 16));
  }

  private void completeIpv6(Frame frame, long nameAddress) {
    ByteBuffer buffer = frame.buffer;
    int ip = Frame.HEADROOM_BYTES;
    int udpBytes = frame.lengthBytes - IPV6_HEADER_BYTES;
    buffer.putInt(ip, 6 << 28);
    buffer.putInt(ip + 4, udpBytes << 16 | PROTOCOL_UDP << 8 | HOP_LIMIT);
    Memory.copy(nameAddress + IPV6_NAME_ADDRESS_OFFSET, frame.address + ip + 8, 16);
    buffer.putLong(ip + 24, addressHigh);
    buffer.putLong(ip + 32, addressLow);
    completeUdp(frame, ip + IPV6_HEADER_BYTES, nameAddress, udpBytes);
  }

  private static void completeUdp(Frame frame, int udp, long nameAddress, int udpBytes) {
    Memory.putShort(frame.address + udp, Memory.getShort(nameAddress + NAME_PORT_OFFSET));
    frame.buffer.putShort(udp + 2, (short) Ports.ROCE_PORT);
    frame.buffer.putInt(udp + 4, udpBytes << 16);
  }
}
