package io.burst.engine.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burst.linux.DescriptorSet;
import io.burst.linux.KernelAddress;
import io.burst.linux.Link;
import io.burst.linux.Memory;
import io.burst.linux.MessageBatch;
import io.burst.linux.RouteNetlink;
import io.burst.linux.SocketDescriptor;
import io.burst.linux.SocketFilter;
import io.burst.spi.Frame;
import io.burst.spi.NextHop;
import io.burst.spi.PacketPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PacketSocketPortTest {

  private static final InetAddress LEFT = address("198.18.71.1");
  private static final InetAddress RIGHT = address("198.18.71.2");
  private static final InetAddress LEFT6 = address("fd71::1");
  private static final InetAddress RIGHT6 = address("fd71::2");
  private static final int ETHERTYPE_ALL = 3;

  private static Namespace left;
  private static Namespace right;

  @BeforeAll
  static void joinTwoNamespaces() throws Exception {
    Assumptions.assumeTrue(Namespace.isPossible(), "needs root to make network namespaces");
    left = new Namespace("left");
    right = new Namespace("right");
    Namespace.join(
        left, new String[] {"198.18.71.1/24", "fd71::1/64"}, right, new String[] {"198.18.71.2/24", "fd71::2/64"});
    // A neighbour that answered shows that the kernel has begun to let packets through, both ways.
    assertThat(left.call(() -> neighbour(RIGHT))).isEqualTo(link(right).linkAddress());
  }

  @AfterAll
  static void removeThem() throws Exception {
    if (left != null) {
      left.close();
    }
    if (right != null) {
      right.close();
    }
  }

  private static InetAddress address(String literal) {
    try {
      return InetAddress.getByName(literal);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private static PacketPort open(Namespace namespace) throws Exception {
    return namespace.call(() -> Ports.open("packet", "burst0", null, null));
  }

  @Test
  void packetsArriveAsTheySetOutAndNobodyAnswersThem() throws Exception {
    try (PacketPort leftPort = open(left);
        SocketDescriptor icmp = right.call(PacketSocketPortTest::icmpSniffer)) {
      // Without a port the host's stack does answer: the sniffer would see it.
      leftPort.send(frames(leftPort, LEFT, RIGHT, 1), 1, 0);
      assertThat(receive(icmp, 1)).hasSize(1);
      try (PacketPort rightPort = open(right)) {
        exchange(left, leftPort, LEFT, rightPort, RIGHT);
        exchange(right, rightPort, RIGHT, leftPort, LEFT);
        exchange(left, leftPort, LEFT6, rightPort, RIGHT6);
        exchange(right, rightPort, RIGHT6, leftPort, LEFT6);
      }
      assertThat(receive(icmp, 0)).isEmpty();
    }
  }

  private static Frame[] frames(PacketPort port, InetAddress source, InetAddress destination, int count)
      throws Exception {
    NextHop hop = left.call(() -> port.resolve(source, destination));
    Frame[] frames = Frames.allocate(count, 4200);
    for (int i = 0; i < count; i++) {
      Packets.fill(frames[i], Packets.udp(source, destination, 0xc132, Packets.payload(64, i)), hop);
    }
    return frames;
  }

  private static void exchange(
      Namespace namespace, PacketPort from, InetAddress source, PacketPort to, InetAddress destination)
      throws Exception {
    int count = 150;
    NextHop hop = namespace.call(() -> from.resolve(source, destination));
    Frame[] frames = Frames.allocate(count, 4200);
    byte[][] sent = new byte[count][];
    for (int i = 0; i < count; i++) {
      byte[] payload = Packets.payload(32 + i * 4080 / (count - 1), i);
      sent[i] = Packets.udp(source, destination, from.udpSourcePort(0xc132), payload);
      Packets.fill(frames[i], sent[i], hop);
    }
    from.send(frames, count, 0);
    List<byte[]> received = PortReader.read(to, count);
    assertThat(received).hasSize(count);
    for (int i = 0; i < count; i++) {
      assertThat(received.get(i)).as("packet %d", i).isEqualTo(sent[i]);
    }
    assertThat(to.receive(frames, count, 0)).isZero();
  }

  @Test
  void takesWholePacketsToUsAloneAndShowsPadding() throws Exception {
    byte[] rightMac = link(right).linkAddress();
    byte[] plain = Packets.udp(LEFT, RIGHT, 0, Packets.payload(16, 1));
    byte[] plain6 = Packets.udp(LEFT6, RIGHT6, 0, Packets.payload(16, 2));
    byte[] options = withOptions(plain);
    byte[] padded = ByteBuffer.allocate(46).put(Packets.udp(LEFT, RIGHT, 0, Packets.payload(4, 3))).array();
    byte[] fragment = plain.clone();
    fragment[6] = 0x20;
    byte[] laterFragment = plain.clone();
    laterFragment[7] = 1;
    byte[] otherPort = plain.clone();
    otherPort[23] ^= 1;
    byte[] tcp = plain.clone();
    tcp[9] = 6;
    byte[] otherPort6 = plain6.clone();
    otherPort6[43] ^= 1;
    byte[] fragment6 = plain6.clone();
    fragment6[6] = 44;
    try (PacketPort port = open(right);
        SocketDescriptor raw = left.call(PacketSocketPortTest::rawSocket)) {
      send(raw, ethernet(rightMac, "0800", fragment));
      send(raw, ethernet(rightMac, "0800", laterFragment));
      send(raw, ethernet(rightMac, "0800", otherPort));
      send(raw, ethernet(rightMac, "0800", tcp));
      send(raw, ethernet(rightMac, "86dd", otherPort6));
      send(raw, ethernet(rightMac, "86dd", fragment6));
      send(raw, ethernet(rightMac, "88b5", plain));
      send(raw, ethernet(HexFormat.of().parseHex("020000000099"), "0800", plain));
      send(raw, ethernet(HexFormat.of().parseHex("ffffffffffff"), "0800", plain));
      send(raw, ethernet(rightMac, "810000050800", plain));
      send(raw, ethernet(rightMac, "8100e0000800", plain));
      send(raw, ethernet(rightMac, "0800", padded));
      send(raw, ethernet(rightMac, "0800", options));
      send(raw, ethernet(rightMac, "86dd", plain6));
      assertThat(PortReader.read(port, 4)).containsExactly(plain, padded, options, plain6);
      assertThat(PortReader.counters(port)).containsEntry("port_rcv_packets", 4L);
    }
  }

  private static byte[] withOptions(byte[] packet) {
    byte[] options = new byte[packet.length + 8];
    System.arraycopy(packet, 0, options, 0, 20);
    System.arraycopy(packet, 20, options, 28, packet.length - 20);
    options[0] = 0x47;
    options[3] += 8;
    return options;
  }

  private static byte[] ethernet(byte[] destination, String types, byte[] packet) {
    byte[] type = HexFormat.of().parseHex(types);
    return ByteBuffer.allocate(12 + type.length + packet.length)
        .put(destination)
        .put(HexFormat.of().parseHex("020000000001"))
        .put(type)
        .put(packet)
        .array();
  }

  @Test
  void findsTheGatewayAndSaysWhatItCannotFind() throws Exception {
    left.ip("route", "add", "198.18.99.0/24", "via", "198.18.71.2");
    try (PacketPort leftPort = open(left);
        PacketPort rightPort = open(right)) {
      InetAddress beyond = address("198.18.99.7");
      Frame[] frames = frames(leftPort, LEFT, beyond, 1);
      leftPort.send(frames, 1, 0);
      assertThat(PortReader.read(rightPort, 1)).containsExactly(Packets.bytes(frames[0]));

      assertResolveFails(leftPort, LEFT, address("203.0.113.1"), "no route from 198.18.71.1 to 203.0.113.1: see ip route get");
      assertResolveFails(leftPort, LEFT, LEFT, "198.18.71.1 is this host itself, which burst0 does not reach: use port udp");
      assertResolveFails(leftPort, RIGHT, LEFT, "198.18.71.2 is not an address of burst0");
      assertResolveFails(
          leftPort, LEFT, address("198.18.71.99"),
          "198.18.71.99 does not answer on burst0: is the peer up and on this link?");
      assertThatThrownBy(() -> left.callUnprivileged(() -> leftPort.resolve(LEFT, address("198.18.71.98"))))
          .isInstanceOf(IOException.class)
          .hasMessage("198.18.71.98 is not among the neighbours of burst0, and looking for it needs CAP_NET_ADMIN: ping it"
              + " first");
    }
  }

  @Test
  void leavesByItsOwnInterfaceEvenWhereTheHostPrefersAnother() throws Exception {
    left.ip("link", "add", "burst1", "type", "veth", "peer", "name", "burst2");
    left.ip("link", "set", "burst1", "up");
    left.ip("route", "add", "198.18.98.0/24", "dev", "burst1", "metric", "1");
    left.ip("route", "add", "198.18.98.0/24", "via", "198.18.71.2", "metric", "2");
    try (PacketPort leftPort = open(left);
        PacketPort rightPort = open(right)) {
      exchange(left, leftPort, LEFT, rightPort, address("198.18.98.7"));
    } finally {
      left.ip("link", "del", "burst1");
    }
  }

  private static void assertResolveFails(PacketPort port, InetAddress local, InetAddress remote, String message) {
    assertThatThrownBy(() -> left.call(() -> port.resolve(local, remote)))
        .isInstanceOf(IOException.class)
        .hasMessage(message);
  }

  @Test
  void reachesLinkLocalPeers() throws Exception {
    try (PacketPort leftPort = open(left);
        PacketPort rightPort = open(right)) {
      InetAddress source = linkLocal(leftPort);
      InetAddress destination = InetAddress.getByAddress(linkLocal(rightPort).getAddress());
      exchange(left, leftPort, source, rightPort, destination);
    }
  }

  private static InetAddress linkLocal(PacketPort port) {
    assertThat(port.addresses()).hasSize(3);
    assertThat(port.addresses().get(2).isLinkLocalAddress()).isTrue();
    return port.addresses().get(2);
  }

  @Test
  void whatTheReceiveBufferCannotHoldIsCounted() throws Exception {
    try (PacketPort leftPort = open(left);
        PacketPort rightPort = open(right)) {
      Frame[] frames = frames(leftPort, LEFT, RIGHT, 64);
      long sent = 0;
      while (PortReader.counters(rightPort).get("port_rcv_discards") == 0 && sent < 1 << 20) {
        leftPort.send(frames, frames.length, 0);
        sent += frames.length;
      }
      long lost = PortReader.counters(rightPort).get("port_rcv_discards");
      assertThat(lost).isPositive();
      assertThat(PortReader.read(rightPort, (int) (sent - lost))).hasSize((int) (sent - lost));
      assertThat(rightPort.receive(frames, 1, 0)).isZero();
    }
  }

  @Test
  void allocatesNothingOnceWarm() throws Exception {
    try (PacketPort leftPort = open(left);
        PacketPort rightPort = open(right)) {
      NextHop toRight = left.call(() -> leftPort.resolve(LEFT, RIGHT));
      NextHop toLeft = right.call(() -> rightPort.resolve(RIGHT, LEFT));
      byte[] packet = Packets.udp(LEFT, RIGHT, 0xc132, new byte[1024]);
      assertThat(AllocationMeter.allocatedBytes(leftPort, toRight, rightPort, toLeft, packet)).isZero();
    }
  }

  @Test
  void ipv6UdpPortsReachEachOther() throws Exception {
    try (PacketPort leftPort = left.call(() -> Ports.open("udp", null, LEFT6, null));
        PacketPort rightPort = open(right)) {
      NextHop hop = left.call(() -> leftPort.resolve(LEFT6, RIGHT6));
      Frame[] frames = Frames.allocate(1, 4200);
      byte[] packet = Packets.udp(LEFT6, RIGHT6, 4791, Packets.payload(100, 1));
      Packets.fill(frames[0], packet, hop);
      leftPort.send(frames, 1, 0);
      byte[] onTheWire = PortReader.read(rightPort, 1).get(0);
      // The kernel's choice, and nothing that an ICRC covers: traffic class, flow label, hop limit.
      onTheWire[0] = 0x60;
      onTheWire[1] = onTheWire[2] = onTheWire[3] = 0;
      onTheWire[7] = 64;
      assertThat(onTheWire).isEqualTo(packet);
    }
  }

  @Test
  void udpPortSendsTheIpv4HeaderThatItsPeerAssumes() throws Exception {
    try (PacketPort leftPort = left.call(() -> Ports.open("udp", null, LEFT, null));
        PacketPort rightPort = open(right)) {
      NextHop hop = left.call(() -> leftPort.resolve(LEFT, RIGHT));
      Frame[] frames = Frames.allocate(2, 4200);
      byte[] packet = Packets.udp(LEFT, RIGHT, 4791, Packets.payload(100, 1));
      Packets.fill(frames[0], packet, hop);
      Packets.fill(frames[1], packet, hop);
      leftPort.send(frames, 2, 0);
      assertThat(PortReader.read(rightPort, 2)).containsExactly(packet, packet);
    }
  }

  @Test
  void saysInOneLineWhyItCannotOpen() throws Exception {
    assertThatThrownBy(() -> left.callUnprivileged(() -> Ports.open("packet", "burst0", null, null)))
        .isInstanceOf(PortException.class)
        .hasMessage("port packet needs CAP_NET_RAW: run as root, or use port udp");
    try (PacketPort first = open(left)) {
      assertThat(first.mtuBytes()).isEqualTo(4200);
      assertOpenFails("burst0", LEFT, "UDP port 4791 of 198.18.71.1 is in use");
    }
    assertOpenFails("burst0", RIGHT, "198.18.71.2 is not an address of this host: burst0 has 198.18.71.1, ");
    left.ip("link", "add", "burst1", "type", "veth", "peer", "name", "burst2");
    try {
      assertOpenFails("burst1", null, "interface burst1 is down: ip link set burst1 up");
      left.ip("link", "set", "burst1", "up");
      assertOpenFails("burst1", null, "interface burst1 has no carrier");
      left.ip("link", "set", "burst1", "addrgenmode", "none");
      left.ip("link", "set", "burst2", "up");
      left.ip("address", "flush", "dev", "burst1");
      assertOpenFails("burst1", null, "interface burst1 has no address: ip address add ADDRESS/BITS dev burst1");
      left.ip("link", "set", "burst1", "mtu", "335");
      assertOpenFails("burst1", null, "interface burst1 has MTU 335, too small for RoCEv2");
    } finally {
      left.ip("link", "del", "burst1");
    }
    // Nothing was left open.
    open(left).close();
  }

  private static void assertOpenFails(String interfaceName, InetAddress address, String message) {
    assertThatThrownBy(() -> left.call(() -> Ports.open("packet", interfaceName, address, null)))
        .isInstanceOf(PortException.class)
        .hasMessageStartingWith(message)
        .hasMessageNotContaining("\n");
  }

  private static Link link(Namespace namespace) throws Exception {
    return namespace.call(PacketSocketPortTest::burst0);
  }

  private static Link burst0() throws IOException {
    try (RouteNetlink netlink = new RouteNetlink()) {
      return netlink.links().stream().filter(link -> link.name().equals("burst0")).findFirst().orElseThrow();
    }
  }

  private static byte[] neighbour(InetAddress address) throws IOException {
    try (RouteNetlink netlink = new RouteNetlink()) {
      return netlink.neighbour(burst0().index(), address, TimeUnit.SECONDS.toNanos(10));
    }
  }

  private static SocketDescriptor rawSocket() throws IOException {
    SocketDescriptor socket = SocketDescriptor.packet();
    socket.attach(SocketFilter.dropAll());
    socket.bind(KernelAddress.link(burst0().index(), ETHERTYPE_ALL));
    return socket;
  }

  /** Sees ICMP and ICMPv6 errors, whoever sends them. */
  private static SocketDescriptor icmpSniffer() throws IOException {
    SocketDescriptor socket = SocketDescriptor.packet();
    socket.attach(
        new SocketFilter(
            SocketFilter.statement(SocketFilter.LOAD_HALF, 12),
            SocketFilter.jump(SocketFilter.JUMP_EQUAL, 0x0800, 0, 2),
            SocketFilter.statement(SocketFilter.LOAD_BYTE, 14 + 9),
            SocketFilter.jump(SocketFilter.JUMP_EQUAL, 1, 5, 6),
            SocketFilter.jump(SocketFilter.JUMP_EQUAL, 0x86dd, 0, 5),
            SocketFilter.statement(SocketFilter.LOAD_BYTE, 14 + 6),
            SocketFilter.jump(SocketFilter.JUMP_EQUAL, 58, 0, 3),
            SocketFilter.statement(SocketFilter.LOAD_BYTE, 14 + 40),
            SocketFilter.jump(SocketFilter.JUMP_ANY_BIT, 0x80, 1, 0),
            SocketFilter.statement(SocketFilter.RETURN, 0xffff),
            SocketFilter.statement(SocketFilter.RETURN, 0)));
    socket.bind(KernelAddress.link(burst0().index(), ETHERTYPE_ALL));
    return socket;
  }

  private static void send(SocketDescriptor socket, byte[] frame) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(frame.length).put(frame);
    try (MessageBatch batch = new MessageBatch(1, 0)) {
      batch.set(0, Memory.addressOf(bytes), frame.length);
      assertThat(batch.send(socket, 0, 1)).isEqualTo(1);
    }
  }

  /** As many frames as expected, waited for, and whatever else has come. */
  private static List<Integer> receive(SocketDescriptor socket, int expected) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(9000);
    List<Integer> lengths = new ArrayList<>();
    try (MessageBatch batch = new MessageBatch(1, 0);
        DescriptorSet readable = new DescriptorSet(socket.descriptor())) {
      batch.set(0, Memory.addressOf(bytes), bytes.capacity());
      while (readable.await(lengths.size() < expected ? TimeUnit.SECONDS.toNanos(10) : 0) > 0) {
        assertThat(batch.receive(socket, 1)).isEqualTo(1);
        lengths.add(batch.lengthBytes(0));
      }
    }
    return lengths;
  }
}
