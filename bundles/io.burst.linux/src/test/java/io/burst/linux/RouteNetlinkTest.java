package io.burst.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RouteNetlinkTest {

  private static final Path INTERFACES = Path.of("/sys/class/net");

  @Test
  void linksAreThoseOfSysfs() throws Exception {
    try (RouteNetlink netlink = new RouteNetlink();
        Stream<Path> directories = Files.list(INTERFACES)) {
      List<Link> links = netlink.links();
      // Other tests may come and go with links of their own.
      List<String> stable = directories.map(path -> path.getFileName().toString()).filter(this::isStable).toList();
      assertThat(links).extracting(Link::name).containsAll(stable).contains("lo");
      for (Link link : links) {
        if (isStable(link.name())) {
          assertThat(link.index()).isEqualTo(Integer.parseInt(sysfs(link, "ifindex")));
          assertThat(link.mtuBytes()).isEqualTo(Integer.parseInt(sysfs(link, "mtu")));
          assertThat(mac(link)).isEqualTo(sysfs(link, "address"));
          assertThat(link.ethernet()).isEqualTo(sysfs(link, "type").equals("1"));
          assertThat(link.loopback()).isEqualTo(sysfs(link, "type").equals("772"));
          assertThat(link.up()).isEqualTo((Integer.decode(sysfs(link, "flags")) & 1) != 0);
          assertThat(link.carrier()).isEqualTo(link.up() && sysfs(link, "carrier").equals("1"));
        }
      }
    }
  }

  private boolean isStable(String name) {
    return name.equals("lo") || name.startsWith("eth") || name.startsWith("en");
  }

  private static String sysfs(Link link, String file) throws Exception {
    return Files.readString(INTERFACES.resolve(link.name()).resolve(file)).strip();
  }

  private static String mac(Link link) {
    StringBuilder text = new StringBuilder();
    for (byte octet : link.linkAddress()) {
      text.append(text.isEmpty() ? "" : ":").append(String.format("%02x", octet));
    }
    return text.toString();
  }

  @Test
  void addressesAreThoseOfTheInterfaceWithLinkLocalOnesLast() throws Exception {
    try (RouteNetlink netlink = new RouteNetlink()) {
      for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        if (isStable(each.getName())) {
          List<InetAddress> addresses = netlink.addresses(each.getIndex());
          assertThat(addresses).containsExactlyInAnyOrderElementsOf(Collections.list(each.getInetAddresses()));
          assertThat(addresses.stream().map(InetAddress::isLinkLocalAddress).toList()).isSorted();
        }
      }
    }
  }

  @Test
  void loopbackIsLocal() throws Exception {
    InetAddress loopback = InetAddress.getByName("127.0.0.1");
    int index = NetworkInterface.getByInetAddress(loopback).getIndex();
    try (RouteNetlink netlink = new RouteNetlink()) {
      InetAddress other = InetAddress.getByName("127.9.9.9");
      assertThat(netlink.route(loopback, other, 0)).isEqualTo(new Route(index, other, true));
    }
  }

  @Test
  void aRefusalNamesTheCallAndTheReason() throws Exception {
    InetAddress foreign = InetAddress.getByName("198.51.100.1");
    try (RouteNetlink netlink = new RouteNetlink();
        SocketDescriptor socket = SocketDescriptor.udp(foreign)) {
      assertThatThrownBy(() -> socket.bind(KernelAddress.inet(foreign, 4791)))
          .isInstanceOf(SystemCallException.class)
          .hasMessage("bind: Cannot assign requested address")
          .satisfies(e -> assertThat(((SystemCallException) e).isAddressNotAvailable()).isTrue());
      assertThatThrownBy(() -> netlink.route(foreign, InetAddress.getByName("127.0.0.1"), 0))
          .isInstanceOf(SystemCallException.class)
          .hasMessageStartingWith("route to 127.0.0.1: ");
    }
  }
}
