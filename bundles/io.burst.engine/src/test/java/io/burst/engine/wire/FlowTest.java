package io.burst.engine.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlowTest {
  /** Worked examples of the rule that RNICs and the Linux kernel share. */
  @Test
  void sourcePortOfAConnectedQueuePair() {
    assertThat(Flow.sourcePort(0x11, 0x12)).isEqualTo(0xC132);
    assertThat(Flow.sourcePort(0x118, 0xD2)).isEqualTo(0xE5B3);
    assertThat(Flow.sourcePort(0xFF_FFFF, 0xFF_FFFF)).isEqualTo(0xFF21);
  }

  @Test
  void sourcePortFromTheFlowLabelFoldsItsUpperBits() {
    assertThat(Flow.sourcePortOfFlowLabel(0)).isEqualTo(0xC000);
    assertThat(Flow.sourcePortOfFlowLabel(0x3FFF)).isEqualTo(0xFFFF);
    assertThat(Flow.sourcePortOfFlowLabel(0xF_C000)).isEqualTo(0xC03F);
  }

  /** What soft-RoCE chose for its datagrams. */
  @Test
  void sourcePortOfADatagramQueuePairIsAsRecorded() {
    RocePacket packet = new RocePacket();
    List<Captures.Recorded> datagrams = Captures.packets().stream()
        .filter(recorded -> packet.wrap(wrap(recorded), 0, recorded.bytes().length) == Verdict.OK)
        .filter(recorded -> packet.opcode().transport() == Transport.UD)
        .toList();
    assertThat(datagrams).isNotEmpty();
    for (Captures.Recorded recorded : datagrams) {
      packet.wrap(wrap(recorded), 0, recorded.bytes().length);
      assertThat(packet.sourcePort()).as(recorded.where()).isEqualTo(Flow.datagramSourcePort(packet.dethSourceQpn()));
    }
  }

  @Test
  void refusesAMixOfFamilies() throws Exception {
    InetAddress ipv4 = InetAddress.getByName("10.0.0.1");
    InetAddress ipv6 = InetAddress.getByName("fd00::1");
    assertThatThrownBy(() -> new Flow(ipv4, ipv6, 0xC000, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThat(new Flow(ipv4, ipv4, 0xC000, 0).headerBytes()).isEqualTo(28);
    assertThat(new Flow(ipv6, ipv6, 0xC000, 0).headerBytes()).isEqualTo(48);
  }

  private static java.nio.ByteBuffer wrap(Captures.Recorded recorded) {
    return java.nio.ByteBuffer.wrap(recorded.bytes());
  }
}
