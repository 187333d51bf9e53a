package io.burst.engine.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burst.linux.DescriptorSet;
import io.burst.spi.Frame;
import io.burst.spi.NextHop;
import io.burst.spi.PacketPort;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class UdpPortTest {

  private static final InetAddress LEFT = address("127.71.0.1");
  private static final InetAddress RIGHT = address("127.71.0.2");

  private static InetAddress address(String literal) {
    try {
      return InetAddress.getByName(literal);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static PacketPort open(InetAddress address) throws PortException {
    return Ports.open("udp", null, address, null);
  }

  @Test
  void packetsArriveAsTheySetOutBothWays() throws Exception {
    try (PacketPort left = open(LEFT);
        PacketPort right = open(RIGHT)) {
      exchange(left, LEFT, right, RIGHT);
      exchange(right, RIGHT, left, LEFT);
    }
  }

  @Test
  void ipv6PacketsArriveAsTheySetOut() throws Exception {
    InetAddress loopback = address("::1");
    try (PacketPort port = openOrSkip(loopback)) {
      exchange(port, loopback, port, loopback);
    }
  }

  private static PacketPort openOrSkip(InetAddress address) throws PortException {
    try {
      return open(address);
    } catch (PortException e) {
      Assumptions.assumeFalse(e.getMessage().contains("not (yet) an address"), "this host has no IPv6");
      throw e;
    }
  }

  /** Lengths from nothing to an odd one at path MTU 4096, more of them than one batch. */
  private static void exchange(PacketPort from, InetAddress source, PacketPort to, InetAddress destination)
      throws IOException {
    int count = 150;
    NextHop hop = from.resolve(source, destination);
    Frame[] frames = Frames.allocate(count, 4200);
    byte[][] sent = new byte[count][];
    for (int i = 0; i < count; i++) {
      byte[] payload = Packets.payload(i * 4121 / (count - 1), i);
      sent[i] = Packets.udp(source, destination, from.udpSourcePort(0xc132), payload);
      Packets.fill(frames[i], sent[i], hop);
    }
    from.send(frames, count, 0);
    List<byte[]> received = PortReader.read(to, count);
    assertThat(received).hasSize(count);
    for (int i = 0; i < count; i++) {
      assertThat(received.get(i)).as("packet %d", i).isEqualTo(sent[i]);
    }
  }

  @Test
  void theSendersRealPortIsShown() throws Exception {
    try (PacketPort port = open(LEFT);
        DatagramSocket stranger = new DatagramSocket(new InetSocketAddress(RIGHT, 0))) {
      byte[] payload = Packets.payload(16, 5);
      stranger.send(new DatagramPacket(payload, payload.length, LEFT, 4791));
      assertThat(PortReader.read(port, 1))
          .containsExactly(Packets.udp(RIGHT, LEFT, stranger.getLocalPort(), payload));
    }
  }

  @Test
  void aDatagramLongerThanTheFrameIsCountedAndTheRestArrives() throws Exception {
    try (PacketPort port = open(LEFT);
        DatagramSocket stranger = new DatagramSocket(new InetSocketAddress(RIGHT, 0))) {
      byte[] small = Packets.payload(16, 5);
      stranger.send(new DatagramPacket(new byte[1501 - 28], 1501 - 28, LEFT, 4791));
      stranger.send(new DatagramPacket(small, small.length, LEFT, 4791));
      Frame[] frames = Frames.allocate(3, 1500);
      Set<Frame> all = Set.of(frames);
      try (DescriptorSet readable = new DescriptorSet(port.descriptor())) {
        assertThat(readable.await(TimeUnit.SECONDS.toNanos(10))).isEqualTo(1);
      }
      assertThat(port.receive(frames, frames.length, 0)).isEqualTo(1);
      assertThat(Packets.bytes(frames[0])).isEqualTo(Packets.udp(RIGHT, LEFT, stranger.getLocalPort(), small));
      // None of the caller's frames got lost on the way.
      assertThat(Set.of(frames)).isEqualTo(all);
      assertThat(PortReader.counters(port)).containsEntry("port_rcv_errors", 1L).containsEntry("port_rcv_packets", 1L);
    }
  }

  @Test
  void whatTheReceiveBufferCannotHoldIsCounted() throws Exception {
    try (PacketPort left = open(LEFT);
        PacketPort right = open(RIGHT)) {
      Frame[] frames = Frames.allocate(64, 4200);
      NextHop hop = left.resolve(LEFT, RIGHT);
      for (Frame frame : frames) {
        Packets.fill(frame, Packets.udp(LEFT, RIGHT, 4791, new byte[4096]), hop);
      }
      long sent = 0;
      while (PortReader.counters(right).get("port_rcv_discards") == 0 && sent < 1 << 16) {
        left.send(frames, frames.length, 0);
        sent += frames.length;
      }
      long lost = PortReader.counters(right).get("port_rcv_discards");
      assertThat(lost).isPositive();
      assertThat(PortReader.counters(left)).containsEntry("port_xmit_packets", sent);
      assertThat(PortReader.read(right, (int) (sent - lost))).hasSize((int) (sent - lost));
      assertThat(right.receive(frames, 1, 0)).isZero();
    }
  }

  @Test
  void whatTheLinkRefusesIsCountedAndTheRestGoes() throws Exception {
    try (PacketPort left = open(LEFT);
        PacketPort right = open(RIGHT)) {
      Frame[] frames = Frames.allocate(3, 100_000);
      NextHop hop = left.resolve(LEFT, RIGHT);
      byte[] fits = Packets.udp(LEFT, RIGHT, 4791, Packets.payload(40, 1));
      Packets.fill(frames[0], fits, hop);
      Packets.fill(frames[1], Packets.udp(LEFT, RIGHT, 4791, new byte[70_000]), hop);
      Packets.fill(frames[2], fits, hop);
      left.send(frames, 3, 0);
      assertThat(PortReader.read(right, 2)).containsExactly(fits, fits);
      assertThat(PortReader.counters(left)).containsEntry("port_xmit_discards", 1L).containsEntry("port_xmit_packets", 2L);
    }
  }

  @Test
  void allocatesNothingOnceWarm() throws Exception {
    try (PacketPort left = open(LEFT);
        PacketPort right = new FaultPort(open(RIGHT), new FaultConfig(.1, .1, .1, .1, .1, 1000, 1))) {
      NextHop toRight = left.resolve(LEFT, RIGHT);
      NextHop toLeft = right.resolve(RIGHT, LEFT);
      byte[] packet = Packets.udp(LEFT, RIGHT, 4791, new byte[1024]);
      assertThat(AllocationMeter.allocatedBytes(left, toRight, right, toLeft, packet)).isZero();
    }
  }

  @Test
  void saysInOneLineWhatIsWrong() throws Exception {
    try (PacketPort port = open(LEFT)) {
      assertThatThrownBy(() -> open(LEFT))
          .isInstanceOf(PortException.class)
          .hasMessage("UDP port 4791 of 127.71.0.1 is in use: stop what holds it (ss -lunp), or give another address");
      assertThatThrownBy(() -> port.resolve(RIGHT, LEFT)).isInstanceOf(IOException.class).hasMessageContaining(
          "127.71.0.2 is not this port's address");
    }
    open(LEFT).close();
    assertThatThrownBy(() -> open(address("198.51.100.7")))
        .isInstanceOf(PortException.class)
        .hasMessage("198.51.100.7 is not an address of this host: see ip address");
    assertThatThrownBy(() -> Ports.open("udp", "nosuch0", null, null))
        .isInstanceOf(PortException.class)
        .hasMessageStartingWith("there is no interface nosuch0: there are ")
        .hasMessageContaining("lo");
    assertThatThrownBy(() -> Ports.open("packet", "lo", null, null))
        .isInstanceOf(PortException.class)
        .hasMessageStartingWith("lo is no Ethernet interface");
    assertThatThrownBy(() -> Ports.open("udp", null, null, null))
        .isInstanceOf(PortException.class)
        .hasMessageStartingWith("no interface given");
    assertThatThrownBy(() -> Ports.open("carrier-pigeon", "lo", null, null))
        .isInstanceOf(PortException.class)
        .hasMessage("there is no port carrier-pigeon: use udp or packet");
  }
}
