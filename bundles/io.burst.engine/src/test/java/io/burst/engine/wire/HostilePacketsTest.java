package io.burst.engine.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Crafted packets: cut, padded, foreign, or at odds with themselves; their ICRC is right unless a test is about it. */
class HostilePacketsTest {
  private static final int IPV4_UDP = 20;
  private static final int IPV4_BTH = 28;

  private final RocePacket packet = new RocePacket();
  private final PacketWriter writer = new PacketWriter();

  static List<SpecificationPackets.Made> specificationPackets() {
    return SpecificationPackets.all();
  }

  @ParameterizedTest
  @MethodSource("specificationPackets")
  void everyCutIsNoticed(SpecificationPackets.Made made) {
    for (int length = 0; length < made.bytes().length; length++) {
      byte[] cut = Arrays.copyOf(made.bytes(), length);
      Verdict expected = length < (made.ipv6() ? 48 : 28) ? Verdict.FOREIGN : Verdict.MALFORMED;
      assertThat(packet.wrap(ByteBuffer.wrap(cut), 0, length)).as("%d bytes", length).isEqualTo(expected);
    }
  }

  /** Shortened with all lengths and the ICRC put right, so that only the header chain can object. */
  @ParameterizedTest
  @MethodSource("specificationPackets")
  void aPacketTooShortForItsHeadersIsMalformed(SpecificationPackets.Made made) {
    packet.wrap(ByteBuffer.wrap(made.bytes()), 0, made.bytes().length);
    int headersEnd = packet.payloadOffset();
    for (int covered = (made.ipv6() ? 48 : 28) + 1; covered < headersEnd; covered++) {
      byte[] shortened = sealed(Arrays.copyOf(made.bytes(), covered + 4));
      assertThat(wrap(shortened)).as("%d bytes", covered).isEqualTo(Verdict.MALFORMED);
    }
  }

  @Test
  void framePaddingIsNotPartOfThePacket() {
    byte[] empty = written(Opcode.RC_SEND_ONLY, 0);
    assertThat(empty).as("the smallest packet").hasSize(44);
    byte[] frame = Arrays.copyOf(empty, 46);
    assertThat(wrap(frame)).isEqualTo(Verdict.OK);
    assertThat(packet.lengthBytes()).isEqualTo(44);
    assertThat(packet.payloadBytes()).isZero();
    Arrays.fill(frame, 44, 46, (byte) 0xFF);
    assertThat(wrap(frame)).as("padding of ones").isEqualTo(Verdict.OK);
  }

  @Test
  void udpMayEndBeforeIpDoes() {
    byte[] bytes = Arrays.copyOf(written(Opcode.RC_SEND_ONLY, 4), 60);
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    buffer.putShort(2, (short) 60);
    sealWithLengths(buffer, 48);
    assertThat(wrap(bytes)).isEqualTo(Verdict.OK);
    assertThat(packet.lengthBytes()).isEqualTo(48);
  }

  @Test
  void lengthsThatContradictEachOtherAreMalformed() {
    assertThat(wrapChanged(bytes -> bytes.putShort(IPV4_UDP + 4, (short) 65535))).isEqualTo(Verdict.MALFORMED);
    assertThat(wrapChanged(bytes -> bytes.putShort(IPV4_UDP + 4, (short) 0))).isEqualTo(Verdict.MALFORMED);
    assertThat(wrapChanged(bytes -> bytes.putShort(IPV4_UDP + 4, (short) 23))).isEqualTo(Verdict.MALFORMED);
    assertThat(wrapChanged(bytes -> bytes.putShort(2, (short) 65535))).isEqualTo(Verdict.MALFORMED);
    assertThat(wrapChanged(bytes -> bytes.putShort(2, (short) 0))).isEqualTo(Verdict.MALFORMED);
    assertThat(wrapChanged(bytes -> bytes.putShort(2, (short) 19))).isEqualTo(Verdict.MALFORMED);
  }

  /** The order that keeps a table look-up away from lengths nobody has checked. */
  @Test
  void lengthsAreCheckedBeforeTheOpcodeAndTheOpcodeBeforeTheIcrc() {
    byte[] bytes = written(Opcode.RC_SEND_ONLY, 0);
    bytes[IPV4_BTH] = 0x15;
    assertThat(wrap(bytes)).isEqualTo(Verdict.UNKNOWN_OPCODE);
    assertThat(packet.wrap(ByteBuffer.wrap(bytes), 0, bytes.length - 1)).isEqualTo(Verdict.MALFORMED);
    byte[] tooShort = Arrays.copyOf(bytes, 43);
    ByteBuffer.wrap(tooShort).putShort(2, (short) 43).putShort(IPV4_UDP + 4, (short) 23);
    Ipv4.writeChecksum(ByteBuffer.wrap(tooShort), 0);
    assertThat(wrap(tooShort)).as("shorter than BTH and ICRC").isEqualTo(Verdict.MALFORMED);
  }

  @Test
  void everyUnknownOpcodeIsToldApart() {
    for (int code = 0; code < 256; code++) {
      if (Opcode.of(code) == null) {
        byte[] bytes = written(Opcode.RC_SEND_ONLY, 40);
        bytes[IPV4_BTH] = (byte) code;
        assertThat(wrap(sealed(bytes))).as("%02x", code).isEqualTo(Verdict.UNKNOWN_OPCODE);
      }
    }
  }

  @Test
  void anotherTransportVersionIsMalformed() {
    for (int version = 1; version < 16; version++) {
      byte[] bytes = written(Opcode.RC_SEND_ONLY, 4);
      bytes[IPV4_BTH + 1] |= version;
      assertThat(wrap(sealed(bytes))).isEqualTo(Verdict.MALFORMED);
    }
  }

  @Test
  void aPadThatDoesNotFitIsMalformed() {
    byte[] emptyWithPad = written(Opcode.RC_SEND_ONLY, 0);
    emptyWithPad[IPV4_BTH + 1] |= 0x30;
    assertThat(wrap(sealed(emptyWithPad))).isEqualTo(Verdict.MALFORMED);
    byte[] acknowledgeWithPad = written(Opcode.RC_ACKNOWLEDGE, 0);
    acknowledgeWithPad[IPV4_BTH + 1] |= 0x10;
    assertThat(wrap(sealed(acknowledgeWithPad))).isEqualTo(Verdict.MALFORMED);
    byte[] unaligned = Arrays.copyOf(written(Opcode.RC_SEND_ONLY, 4), 47);
    assertThat(wrap(sealed(unaligned))).as("three bytes and no pad").isEqualTo(Verdict.MALFORMED);
  }

  @Test
  void payloadWhereNoneBelongsIsMalformed() {
    for (Opcode opcode : Opcode.values()) {
      byte[] bytes = written(opcode, 0);
      byte[] longer = sealed(Arrays.copyOf(bytes, bytes.length + 4));
      assertThat(wrap(longer)).as(opcode.name()).isEqualTo(opcode.hasPayload() ? Verdict.OK : Verdict.MALFORMED);
    }
  }

  @Test
  void aWrongIpv4ChecksumIsMalformed() {
    byte[] bytes = written(Opcode.RC_SEND_ONLY, 4);
    bytes[10] ^= 1;
    assertThat(wrap(bytes)).isEqualTo(Verdict.MALFORMED);
  }

  @Test
  void othersTrafficIsForeign() {
    assertThat(wrapChanged(bytes -> bytes.putShort(IPV4_UDP + 2, (short) 4790))).isEqualTo(Verdict.FOREIGN);
    assertThat(wrapChanged(bytes -> bytes.put(9, (byte) 6))).as("TCP").isEqualTo(Verdict.FOREIGN);
    assertThat(wrapChanged(bytes -> bytes.putShort(6, (short) 0x2000))).as("first").isEqualTo(Verdict.FOREIGN);
    assertThat(wrapChanged(bytes -> bytes.putShort(6, (short) 0x0001))).as("later").isEqualTo(Verdict.FOREIGN);
    assertThat(wrapChanged(bytes -> bytes.put(0, (byte) 0x46))).as("options").isEqualTo(Verdict.FOREIGN);
    assertThat(wrapChanged(bytes -> bytes.put(0, (byte) 0x55))).as("IP version 5").isEqualTo(Verdict.FOREIGN);
    assertThat(wrapChanged(bytes -> bytes.put(0, (byte) 0xF5))).as("IP version 15").isEqualTo(Verdict.FOREIGN);
  }

  @Test
  void ipv6ExtensionHeadersAreForeign() {
    byte[] bytes = SpecificationPackets.all().get(1).bytes();
    for (int extension : new int[] {0, 43, 44, 50, 51, 60}) {
      bytes[6] = (byte) extension;
      assertThat(wrap(bytes)).isEqualTo(Verdict.FOREIGN);
    }
  }

  @Test
  void aPacketInTheMiddleOfABufferIsReadInPlace() {
    byte[] bytes = written(Opcode.RC_SEND_ONLY, 5);
    ByteBuffer buffer = ByteBuffer.allocateDirect(300).position(7).limit(250);
    buffer.put(100, bytes);
    assertThat(packet.wrap(buffer, 100, 150)).isEqualTo(Verdict.OK);
    assertThat(packet.payloadOffset()).isEqualTo(140);
    assertThat(packet.payloadBytes()).isEqualTo(5);
    assertThat(packet.padBytes()).isEqualTo(3);
    assertThat(buffer.position()).isEqualTo(7);
    assertThat(buffer.limit()).isEqualTo(250);
  }

  @Test
  void headersAreReadFromACutRecordAndTheIcrcIsNotAsked() {
    byte[] bytes = written(Opcode.RC_SEND_ONLY, 100);
    bytes[bytes.length - 1] ^= 1;
    for (int recorded = 0; recorded < bytes.length; recorded++) {
      byte[] cut = Arrays.copyOf(bytes, recorded);
      Verdict expected = recorded < 28 ? Verdict.FOREIGN : recorded < 40 ? Verdict.TRUNCATED : Verdict.OK;
      assertThat(packet.wrapHeaders(ByteBuffer.wrap(cut), 0, recorded)).as("%d", recorded).isEqualTo(expected);
    }
    assertThat(packet.payloadBytes()).isEqualTo(100);
    assertThat(packet.psn()).isEqualTo(0x123456);
  }

  @Test
  void readingAHeaderThatIsNotThereIsRefused() {
    wrap(written(Opcode.RC_SEND_ONLY, 0));
    assertThatThrownBy(packet::aethSyndrome).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void theWriterRefusesAPacketWithoutItsHeaders() {
    writer.begin(ByteBuffer.allocate(100), 0, flow(), Opcode.RC_WRITE_ONLY_IMMEDIATE, 1, 1);
    writer.immediate(1);
    assertThatThrownBy(() -> writer.end(0, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("RETH");
    assertThatThrownBy(() -> writer.aeth(0, 0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void theWriterRefusesPayloadWhereNoneBelongs() {
    writer.begin(ByteBuffer.allocate(100), 0, flow(), Opcode.RC_ACKNOWLEDGE, 1, 1);
    writer.aeth(Aeth.ACK, 0);
    assertThatThrownBy(() -> writer.end(4, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void queuePairAndSequenceNumbersNeverReachIntoTheirNeighbours() {
    ByteBuffer buffer = ByteBuffer.allocate(100);
    writer.begin(buffer, 0, flow(), Opcode.RC_SEND_ONLY, 0xFFABCDEF, 0xFF012345);
    byte[] bytes = Arrays.copyOf(buffer.array(), writer.end(0, 0x1FFFF));
    assertThat(wrap(bytes)).isEqualTo(Verdict.OK);
    assertThat(packet.destinationQpn()).isEqualTo(0xABCDEF);
    assertThat(packet.psn()).isEqualTo(0x012345);
    assertThat(packet.fecn() || packet.becn() || packet.ackRequested()).isFalse();
  }

  private interface Change extends java.util.function.Consumer<ByteBuffer> {}

  private Verdict wrapChanged(Change change) {
    byte[] bytes = written(Opcode.RC_SEND_ONLY, 4);
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    change.accept(buffer);
    Ipv4.writeChecksum(buffer, 0);
    return wrap(bytes);
  }

  private Verdict wrap(byte[] bytes) {
    return packet.wrap(ByteBuffer.wrap(bytes), 0, bytes.length);
  }

  private byte[] written(Opcode opcode, int payloadBytes) {
    ByteBuffer buffer = ByteBuffer.allocate(300);
    writer.begin(buffer, 0, flow(), opcode, 0x11, 0x123456);
    Stream.of(Header.values()).filter(opcode::has).forEach(this::writeHeader);
    return Arrays.copyOf(buffer.array(), writer.end(payloadBytes, 0));
  }

  private void writeHeader(Header header) {
    switch (header) {
      case RETH -> writer.reth(1, 2, 3);
      case AETH -> writer.aeth(Aeth.ACK, 1);
      case ATOMIC_ETH -> writer.atomic(1, 2, 3, 4);
      case ATOMIC_ACK_ETH -> writer.atomicAck(1);
      case IMM_DT -> writer.immediate(1);
      case IETH -> writer.invalidate(1);
      case DETH -> writer.deth(1, 2);
      case FETH -> writer.feth(1, 0);
      case CNP_RESERVED -> { }
    }
  }

  private static byte[] sealed(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    if (bytes[0] != 0x60) {
      buffer.putShort(2, (short) bytes.length);
    }
    sealWithLengths(buffer, bytes.length);
    return bytes;
  }

  /** Puts UDP length, IPv6 payload length, checksum and ICRC right for a packet of this length. */
  private static void sealWithLengths(ByteBuffer buffer, int lengthBytes) {
    boolean ipv6 = buffer.get(0) >> 4 == 6;
    int ipHeaderBytes = ipv6 ? 40 : 20;
    short udpBytes = (short) (lengthBytes - ipHeaderBytes);
    buffer.putShort(ipHeaderBytes + 4, udpBytes);
    if (ipv6) {
      buffer.putShort(4, udpBytes);
    } else {
      Ipv4.writeChecksum(buffer, 0);
    }
    int covered = lengthBytes - Icrc.BYTES;
    if (covered >= ipHeaderBytes + 20) {
      Icrc.write(buffer, covered, new Icrc().compute(buffer, 0, ipHeaderBytes, covered));
    }
  }

  private static Flow flow() {
    try {
      return new Flow(InetAddress.getByName("10.0.0.1"), InetAddress.getByName("10.0.0.2"), 0xC001, 0);
    } catch (java.net.UnknownHostException e) {
      throw new AssertionError(e);
    }
  }
}
