package io.burst.engine.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Both ways against bytes that Linux soft-RoCE and a ConnectX-4 Lx made. */
class RecordedPacketsTest {
  /** An Ethernet frame with a congestion notification packet from a ConnectX-4 Lx; its ICRC comes last. */
  private static final byte[] CNP_FRAME = HexFormat.of().parseHex("e41d2dab2bc27cfe90643b320800"
      + "45c2003c718c4000401191610a0011010a001201" + "000012b700280000"
      + "8100ffff4000011800000000" + "00000000000000000000000000000000" + "82fd002a");
  private static final int ETHERNET_BYTES = 14;

  private final RocePacket packet = new RocePacket();

  static List<Path> files() {
    return Captures.files();
  }

  @ParameterizedTest
  @MethodSource("files")
  void everyPacketIsRightAndIsRebuiltByteForByte(Path file) {
    List<Captures.Recorded> packets = Captures.packets(file);
    assertThat(packets).isNotEmpty();
    for (Captures.Recorded recorded : packets) {
      byte[] bytes = recorded.bytes();
      assertThat(packet.wrap(ByteBuffer.wrap(bytes), 0, bytes.length)).as(recorded.where()).isEqualTo(Verdict.OK);
      assertThat(PacketCopy.of(packet)).as(recorded.where()).isEqualTo(bytes);
    }
  }

  @Test
  void readsTheCnpOfAnRnic() {
    int lengthBytes = CNP_FRAME.length - ETHERNET_BYTES;
    assertThat(packet.wrap(ByteBuffer.wrap(CNP_FRAME), ETHERNET_BYTES, lengthBytes)).isEqualTo(Verdict.OK);
    assertThat(packet.opcode()).isEqualTo(Opcode.CNP);
    assertThat(packet.becn()).isTrue();
    assertThat(packet.migrationRequested()).isFalse();
    assertThat(packet.destinationQpn()).isEqualTo(0x118);
    assertThat(packet.psn()).isZero();
    assertThat(packet.trafficClass()).isEqualTo(48 << 2 | 2);
    assertThat(packet.sourcePort()).isZero();
    assertThat(packet.payloadBytes()).isZero();
    assertThat(packet.lengthBytes()).isEqualTo(60);
  }

  @Test
  void writesTheCnpOfAnRnic() throws Exception {
    ByteBuffer buffer = ByteBuffer.allocate(CNP_FRAME.length);
    buffer.put(0, CNP_FRAME, 0, ETHERNET_BYTES);
    Flow flow = new Flow(InetAddress.getByName("10.0.17.1"), InetAddress.getByName("10.0.18.1"), 0, 48 << 2 | 2);
    PacketWriter writer = new PacketWriter();
    writer.begin(buffer, ETHERNET_BYTES, flow, Opcode.CNP, 0x118, 0);
    assertThat(writer.end(0, 0x718C)).isEqualTo(60);
    assertThat(buffer.array()).isEqualTo(CNP_FRAME);
  }
}
