package io.burst.engine.port;

import io.burst.linux.KernelAddress;
import io.burst.linux.Link;
import io.burst.linux.Route;
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
import java.util.concurrent.TimeUnit;

/**
 * Speaks whole Ethernet frames through an AF_PACKET socket, on the host's own addresses: every header reaches the
 * transport as it was on the wire. Needs CAP_NET_RAW, and CAP_NET_ADMIN to find a neighbour that the kernel doesn't
 * know.
 *
 * <p>A local peer (veth, TAP) may hand over a UDP checksum that is still to be completed, which is no matter as none is
 * looked at; one that has its datagrams segmented by the device hands over several in one frame, which is received as
 * one packet of a length that the transport refuses, or dropped and counted if it doesn't fit a frame.
 *
 * <p>Owned by the worker that polls it.
 */
final class PacketSocketPort extends SocketPort {

  private static final int ETHERNET_HEADER_BYTES = 14;
  private static final int ETHERNET_OFFSET = Frame.HEADROOM_BYTES - ETHERNET_HEADER_BYTES;
  private static final int MAC_BYTES = 6;
  private static final int ETHERTYPE_ALL = 3;
  private static final short ETHERTYPE_IPV4 = 0x0800;
  private static final short ETHERTYPE_IPV6 = (short) 0x86dd;
  private static final long NEIGHBOUR_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(3);

  /**
   * An Ethernet header in the pieces that it is written in.
   *
   * @param start the destination and the first two bytes of the source
   * @param rest the last four bytes of the source
   */
  private record EthernetHop(long start, int rest, short etherType) implements NextHop {

    static EthernetHop of(byte[] destination, byte[] source, short etherType) {
      ByteBuffer header = ByteBuffer.allocate(2 * MAC_BYTES).put(destination).put(source);
      return new EthernetHop(header.getLong(0), header.getInt(8), etherType);
    }
  }

  private final Link link;
  private final StackMute mute;

  private PacketSocketPort(SocketDescriptor socket, StackMute mute, Link link, List<InetAddress> addresses) {
    super(socket, 0, ETHERNET_OFFSET, link.mtuBytes(), addresses);
    this.link = link;
    this.mute = mute;
  }

  static PacketSocketPort open(Link link, List<InetAddress> addresses) throws PortException {
    StackMute mute = new StackMute(addresses);
    SocketDescriptor socket = null;
    try {
      socket = SocketDescriptor.packet();
      socket.attach(RoceFilter.make());
      socket.set(Option.PACKET_IGNORE_OUTGOING, 1);
      enlargeBuffers(socket);
      socket.bind(KernelAddress.link(link.index(), ETHERTYPE_ALL));
      return new PacketSocketPort(socket, mute, link, addresses);
    } catch (SystemCallException e) {
      mute.close();
      if (socket != null) {
        socket.close();
      }
      throw cannotOpen(link, e);
    }
  }

  private static PortException cannotOpen(Link link, SystemCallException e) {
    return e.isNotPermitted()
        ? new PortException("port packet needs CAP_NET_RAW: run as root, or use port udp", e)
        : new PortException("cannot open port packet on " + link.name() + ": " + e.getMessage(), e);
  }

  @Override
  public NextHop resolve(InetAddress local, InetAddress remote) throws IOException {
    if (!addresses().contains(local)) {
      throw new IOException(local.getHostAddress() + " is not an address of " + link.name());
    }
    InetAddress next = nextHop(local, remote);
    byte[] destination = linkAddress(next);
    if (destination == null || destination.length != MAC_BYTES) {
      throw new IOException(
          next.getHostAddress() + " does not answer on " + link.name() + ": is the peer up and on this link?");
    }
    boolean ipv6 = remote instanceof Inet6Address;
    return EthernetHop.of(destination, link.linkAddress(), ipv6 ? ETHERTYPE_IPV6 : ETHERTYPE_IPV4);
  }

  private InetAddress nextHop(InetAddress local, InetAddress remote) throws IOException {
    Route route;
    try (RouteNetlink netlink = new RouteNetlink()) {
      boolean linkLocal = remote instanceof Inet6Address && remote.isLinkLocalAddress();
      route = netlink.route(local, remote, linkLocal ? link.index() : 0);
      if (!route.local() && route.interfaceIndex() != link.index()) {
        route = netlink.route(local, remote, link.index());
      }
    } catch (SystemCallException e) {
      throw new IOException(
          "no route from " + local.getHostAddress() + " to " + remote.getHostAddress() + ": see ip route get", e);
    }
    if (route.local()) {
      throw new IOException(
          remote.getHostAddress() + " is this host itself, which " + link.name() + " does not reach: use port udp");
    }
    return route.nextHop();
  }

  private byte[] linkAddress(InetAddress neighbour) throws IOException {
    try (RouteNetlink netlink = new RouteNetlink()) {
      return netlink.neighbour(link.index(), neighbour, NEIGHBOUR_TIMEOUT_NS);
    } catch (SystemCallException e) {
      if (!e.isNotPermitted()) {
        throw e;
      }
      throw new IOException(
          neighbour.getHostAddress() + " is not among the neighbours of " + link.name()
              + ", and looking for it needs CAP_NET_ADMIN: ping it first", e);
    }
  }

  @Override
  void prepare(Frame frame, long nameAddress) {
    EthernetHop hop = (EthernetHop) frame.nextHop;
    frame.buffer.putLong(ETHERNET_OFFSET, hop.start);
    frame.buffer.putInt(ETHERNET_OFFSET + 8, hop.rest);
    frame.buffer.putShort(ETHERNET_OFFSET + 12, hop.etherType);
  }

  @Override
  void complete(Frame frame, long nameAddress) {
    // The IP packet came as it was.
  }

  @Override
  public void close() {
    super.close();
    mute.close();
  }
}
