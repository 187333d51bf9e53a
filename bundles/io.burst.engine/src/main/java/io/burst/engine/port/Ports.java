package io.burst.engine.port;

import io.burst.linux.Link;
import io.burst.linux.RouteNetlink;
import io.burst.linux.SystemCallException;
import io.burst.spi.PacketPort;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.Collectors;

/** Opens ports by kind, and says what is wrong when it can't. Stateless, for any thread. */
public final class Ports {

  /** The UDP destination port of RoCEv2. */
  static final int ROCE_PORT = 4791;

  /** The smallest path MTU with the headers around it. */
  private static final int SMALLEST_MTU_BYTES = 256 + 80;

  private Ports() {}

  /**
   * Opens a port; if that fails nothing stays open.
   *
   * @param kind "udp" or "packet"
   * @param interfaceName null for the one that has the address
   * @param address null for the interface's own: all of them for packet, the first for udp
   * @param faults null for none
   */
  public static PacketPort open(String kind, String interfaceName, InetAddress address, FaultConfig faults)
      throws PortException {
    PacketPort port =
        switch (kind) {
          case "udp" -> openUdp(interfaceName, address);
          case "packet" -> openPacket(interfaceName, address);
          default -> throw new PortException("there is no port " + kind + ": use udp or packet");
        };
    return faults == null || faults.isNone() ? port : new FaultPort(port, faults);
  }

  private static PacketPort openUdp(String interfaceName, InetAddress address) throws PortException {
    try (RouteNetlink netlink = new RouteNetlink()) {
      Link link = find(netlink, interfaceName, address);
      List<InetAddress> own = addresses(netlink, link);
      InetAddress wanted = address == null ? own.get(0) : address;
      // The interface's own entry of it has the scope that a link-local address needs.
      InetAddress local = own.contains(wanted) ? own.get(own.indexOf(wanted)) : wanted;
      return UdpPort.open(local, link.mtuBytes());
    } catch (SystemCallException e) {
      throw new PortException("cannot look up interfaces: " + e.getMessage(), e);
    }
  }

  private static PacketPort openPacket(String interfaceName, InetAddress address) throws PortException {
    try (RouteNetlink netlink = new RouteNetlink()) {
      Link link = find(netlink, interfaceName, address);
      if (!link.ethernet()) {
        throw new PortException(link.name() + " is no Ethernet interface, which port packet needs: use port udp");
      }
      List<InetAddress> own = addresses(netlink, link);
      if (address == null) {
        return PacketSocketPort.open(link, own);
      }
      if (!own.contains(address)) {
        throw notLocal(address, link.name() + " has " + list(own));
      }
      return PacketSocketPort.open(link, List.of(own.get(own.indexOf(address))));
    } catch (SystemCallException e) {
      throw new PortException("cannot look up interfaces: " + e.getMessage(), e);
    }
  }

  private static Link find(RouteNetlink netlink, String interfaceName, InetAddress address)
      throws PortException, SystemCallException {
    if (interfaceName == null && address == null) {
      throw new PortException("no interface given: name one, or one of this host's addresses");
    }
    List<Link> links = netlink.links();
    for (Link link : links) {
      if (interfaceName != null ? link.name().equals(interfaceName) : has(netlink, link, address)) {
        return usable(link);
      }
    }
    if (interfaceName == null) {
      throw notLocal(address, "see ip address");
    }
    throw new PortException(
        "there is no interface " + interfaceName + ": there are "
            + links.stream().map(Link::name).collect(Collectors.joining(", ")));
  }

  private static boolean has(RouteNetlink netlink, Link link, InetAddress address) throws SystemCallException {
    return netlink.addresses(link.index()).contains(address) || link.loopback() && address.isLoopbackAddress();
  }

  private static Link usable(Link link) throws PortException {
    if (!link.up()) {
      throw new PortException("interface " + link.name() + " is down: ip link set " + link.name() + " up");
    }
    if (!link.carrier()) {
      throw new PortException("interface " + link.name() + " has no carrier: connect it, or bring its peer up");
    }
    if (link.mtuBytes() < SMALLEST_MTU_BYTES) {
      throw new PortException(
          "interface " + link.name() + " has MTU " + link.mtuBytes() + ", too small for RoCEv2: ip link set "
              + link.name() + " mtu " + SMALLEST_MTU_BYTES + " or more");
    }
    return link;
  }

  private static List<InetAddress> addresses(RouteNetlink netlink, Link link)
      throws PortException, SystemCallException {
    List<InetAddress> addresses = netlink.addresses(link.index());
    if (addresses.isEmpty()) {
      throw new PortException(
          "interface " + link.name() + " has no address: ip address add ADDRESS/BITS dev " + link.name());
    }
    return addresses;
  }

  private static PortException notLocal(InetAddress address, String hint) {
    return new PortException(address.getHostAddress() + " is not an address of this host: " + hint);
  }

  private static String list(List<InetAddress> addresses) {
    return addresses.stream().map(InetAddress::getHostAddress).collect(Collectors.joining(", "));
  }

  /** Why UDP port 4791 of that address can't be had. */
  static PortException cannotBind(InetAddress address, SystemCallException e) {
    String where = "UDP port " + ROCE_PORT + " of " + address.getHostAddress();
    if (e.isAddressInUse()) {
      return new PortException(where + " is in use: stop what holds it (ss -lunp), or give another address", e);
    }
    if (e.isAddressNotAvailable()) {
      return new PortException(address.getHostAddress() + " is not (yet) an address of this host: see ip address", e);
    }
    return new PortException("cannot open " + where + ": " + e.getMessage(), e);
  }
}
