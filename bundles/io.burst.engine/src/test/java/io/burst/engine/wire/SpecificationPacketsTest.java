package io.burst.engine.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Both ways against packets laid out from the specification by other code: for what no capture shows. */
class SpecificationPacketsTest {
  private final RocePacket packet = new RocePacket();

  static List<SpecificationPackets.Made> packets() {
    return SpecificationPackets.all();
  }

  @Test
  void thereIsOneForEveryOpcodeOverBothFamilies() {
    assertThat(packets().stream().filter(made -> !made.ipv6()).map(SpecificationPackets.Made::opcode).toList())
        .isEqualTo(Arrays.stream(Opcode.values()).map(Enum::name).collect(Collectors.toList()));
    assertThat(packets().stream().filter(SpecificationPackets.Made::ipv6)).hasSameSizeAs(Opcode.values());
  }

  @ParameterizedTest
  @MethodSource("packets")
  void fieldsAreRead(SpecificationPackets.Made made) {
    assertThat(packet.wrap(ByteBuffer.wrap(made.bytes()), 0, made.bytes().length)).isEqualTo(Verdict.OK);
    boolean cnp = packet.opcode() == Opcode.CNP;
    assertThat(packet.opcode()).isEqualTo(Opcode.valueOf(made.opcode()));
    assertThat(packet.isIpv6()).isEqualTo(made.ipv6());
    assertThat(packet.sourceHigh()).isEqualTo(made.ipv6() ? 0xFD77_0000_0000_0000L : 0);
    assertThat(packet.sourceLow()).isEqualTo(made.ipv6() ? 2 : 0x0000_FFFF_0A4D_0002L);
    assertThat(packet.destinationHigh()).isEqualTo(made.ipv6() ? 0xFD77_0000_0000_0000L : 0);
    assertThat(packet.destinationLow()).isEqualTo(made.ipv6() ? 0xA1B2_C3D4_E5F6_0718L : 0x0000_FFFF_C0A8_C8C9L);
    assertThat(packet.trafficClass()).isEqualTo(0x6A);
    assertThat(packet.ipIdentification()).isEqualTo(made.ipv6() ? 0 : 0xBEEF);
    assertThat(packet.sourcePort()).isEqualTo(0xC132);
    assertThat(packet.destinationQpn()).isEqualTo(0x123456);
    assertThat(packet.psn()).isEqualTo(cnp ? 0 : 0xABCDEF);
    assertThat(packet.partitionKey()).isEqualTo(0xFFFF);
    assertThat(packet.solicited()).isEqualTo(!cnp);
    assertThat(packet.migrationRequested()).isEqualTo(!cnp);
    assertThat(packet.ackRequested()).isEqualTo(!cnp);
    assertThat(packet.fecn()).isFalse();
    assertThat(packet.becn()).isEqualTo(cnp);
    assertThat(packet.lengthBytes()).isEqualTo(made.bytes().length);
    packet.opcode().headers().forEach(this::checkHeader);
    for (int i = 0; i < packet.payloadBytes(); i++) {
      assertThat(made.bytes()[packet.payloadOffset() + i]).isEqualTo((byte) (i + 1));
    }
  }

  @ParameterizedTest
  @MethodSource("packets")
  void theWriterMakesTheSameBytes(SpecificationPackets.Made made) throws Exception {
    InetAddress local = InetAddress.getByName(made.ipv6() ? "fd77::2" : "10.77.0.2");
    InetAddress remote = InetAddress.getByName(made.ipv6() ? "fd77::a1b2:c3d4:e5f6:718" : "192.168.200.201");
    Opcode opcode = Opcode.valueOf(made.opcode());
    boolean cnp = opcode == Opcode.CNP;
    ByteBuffer buffer = ByteBuffer.allocateDirect(256);
    fillWithRubbish(buffer);
    PacketWriter writer = new PacketWriter();
    writer.begin(buffer, 32, new Flow(local, remote, 0xC132, 0x6A), opcode, 0x123456, cnp ? 0 : 0xABCDEF);
    if (!cnp) {
      writer.ackRequested(true).solicited(true);
    }
    opcode.headers().forEach(header -> writeHeader(writer, header));
    packet.wrap(ByteBuffer.wrap(made.bytes()), 0, made.bytes().length);
    for (int i = 0; i < packet.payloadBytes(); i++) {
      buffer.put(writer.payloadOffset() + i, (byte) (i + 1));
    }
    byte[] written = new byte[writer.end(packet.payloadBytes(), 0xBEEF)];
    buffer.get(32, written);
    assertThat(written).isEqualTo(made.bytes());
  }

  private void checkHeader(Header header) {
    switch (header) {
      case RETH -> {
        assertThat(packet.rethAddress()).isEqualTo(0x0102030405060708L);
        assertThat(packet.rethKey()).isEqualTo(0x8A9BACBD);
        assertThat(packet.rethLengthBytes()).isEqualTo(0xFEDCBA98L);
      }
      case AETH -> {
        assertThat(packet.aethSyndrome()).isEqualTo(Aeth.NAK_REMOTE_ACCESS_ERROR);
        assertThat(packet.aethMsn()).isEqualTo(0x8A9B9C);
      }
      case ATOMIC_ETH -> {
        assertThat(packet.atomicAddress()).isEqualTo(0x1112131415161718L);
        assertThat(packet.atomicKey()).isEqualTo(0x9A9B9C9D);
        assertThat(packet.atomicSwapOrAdd()).isEqualTo(0xA1A2A3A4A5A6A7A8L);
        assertThat(packet.atomicCompare()).isEqualTo(0xB1B2B3B4B5B6B7B8L);
      }
      case ATOMIC_ACK_ETH -> assertThat(packet.atomicAckOriginal()).isEqualTo(0xC1C2C3C4C5C6C7C8L);
      case IMM_DT -> assertThat(packet.immediate()).isEqualTo(0xD1D2D3D4);
      case IETH -> assertThat(packet.invalidateKey()).isEqualTo(0xE1E2E3E4);
      case DETH -> {
        assertThat(packet.dethQueueKey()).isEqualTo(0xF1F2F3F4);
        assertThat(packet.dethSourceQpn()).isEqualTo(0xA5B6C7);
      }
      case FETH -> {
        assertThat(packet.fethPlacementType()).isEqualTo(2);
        assertThat(packet.fethSelectivityLevel()).isEqualTo(1);
      }
      case CNP_RESERVED -> assertThat(packet.payloadBytes()).isZero();
    }
  }

  private static void writeHeader(PacketWriter writer, Header header) {
    switch (header) {
      case RETH -> writer.reth(0x0102030405060708L, 0x8A9BACBD, 0xFEDCBA98L);
      case AETH -> writer.aeth(Aeth.NAK_REMOTE_ACCESS_ERROR, 0x8A9B9C);
      case ATOMIC_ETH ->
          writer.atomic(0x1112131415161718L, 0x9A9B9C9D, 0xA1A2A3A4A5A6A7A8L, 0xB1B2B3B4B5B6B7B8L);
      case ATOMIC_ACK_ETH -> writer.atomicAck(0xC1C2C3C4C5C6C7C8L);
      case IMM_DT -> writer.immediate(0xD1D2D3D4);
      case IETH -> writer.invalidate(0xE1E2E3E4);
      case DETH -> writer.deth(0xF1F2F3F4, 0xA5B6C7);
      case FETH -> writer.feth(2, 1);
      case CNP_RESERVED -> { }
    }
  }

  private static void fillWithRubbish(ByteBuffer buffer) {
    for (int i = 0; i < buffer.capacity(); i++) {
      buffer.put(i, (byte) 0xA5);
    }
  }
}
