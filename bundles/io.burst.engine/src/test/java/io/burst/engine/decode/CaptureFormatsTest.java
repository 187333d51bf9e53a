package io.burst.engine.decode;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burst.admin.CaptureException;
import io.burst.admin.DecodeSummary;
import io.burst.engine.wire.Captures;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same recorded packets in every wrapping, whole, cut and spoilt. */
class CaptureFormatsTest {
  private static final String MACS = "020000000001020000000002";
  private static final String COOKED = "00000001000602000000000100000800";
  private static final int MICROSECONDS = 0xA1B2C3D4;
  private static final int NANOSECONDS = 0xA1B23C4D;

  private final List<byte[]> packets = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();

  @BeforeEach
  void takeThreePackets() {
    packets.add(recorded("read-1024.pcap #1"));
    packets.add(recorded("read-1024.pcap #2"));
    packets.add(recorded("atomic-cmp-swap.pcap #1"));
  }

  @Test
  void pcapInEitherByteOrderAndResolution() throws IOException {
    List<String> expected = decode(pcap(LITTLE_ENDIAN, MICROSECONDS, 101, ""));
    assertThat(expected).hasSize(3).allMatch(line -> line.endsWith("icrc ok"));
    assertThat(expected.get(2)).startsWith("3 0.000002 ");
    assertThat(decode(pcap(BIG_ENDIAN, MICROSECONDS, 101, ""))).isEqualTo(expected);
    CaptureBytes nanoseconds = new CaptureBytes(BIG_ENDIAN).pcapHeader(NANOSECONDS, 101);
    nanoseconds.pcapRecord(packets.get(0), 10000, 5_000).pcapRecord(packets.get(1), 10000, 1_005_000);
    assertThat(decode(nanoseconds.bytes()).get(1)).startsWith("2 0.001000 ");
  }

  @Test
  void everyLinkLayer() throws IOException {
    List<String> expected = decode(pcap(LITTLE_ENDIAN, MICROSECONDS, 101, ""));
    assertThat(decode(pcap(LITTLE_ENDIAN, MICROSECONDS, 1, MACS + "0800"))).isEqualTo(expected);
    assertThat(decode(pcap(LITTLE_ENDIAN, MICROSECONDS, 1, MACS + "8100c0640800"))).isEqualTo(expected);
    assertThat(decode(pcap(LITTLE_ENDIAN, MICROSECONDS, 1, MACS + "88a800018100c0640800"))).isEqualTo(expected);
    assertThat(decode(pcap(LITTLE_ENDIAN, MICROSECONDS, 113, COOKED))).isEqualTo(expected);
    assertThat(decode(pcap(LITTLE_ENDIAN, MICROSECONDS, 276, "0800000000000003000100060200000000010000")))
        .isEqualTo(expected);
    assertThat(decode(pcap(LITTLE_ENDIAN, MICROSECONDS, 0x14000000 | 1, MACS + "0800")))
        .as("with the length of a frame check sequence")
        .isEqualTo(expected);
  }

  @Test
  void othersFramesArePassedOver() throws IOException {
    assertThat(decode(pcap(LITTLE_ENDIAN, MICROSECONDS, 1, MACS + "0806"))).isEmpty();
    assertThat(decode(pcap(LITTLE_ENDIAN, MICROSECONDS, 1, MACS + "8100"))).isEmpty();
    assertThat(decode(pcap(LITTLE_ENDIAN, MICROSECONDS, 1, MACS + "0800" + "4500"))).isEmpty();
  }

  @Test
  void framePaddingIsNoPartOfAPacket() throws IOException {
    byte[] padded = Arrays.copyOf(packets.get(0), packets.get(0).length + 6);
    CaptureBytes capture = new CaptureBytes(LITTLE_ENDIAN).pcapHeader(MICROSECONDS, 101).pcapRecord(padded);
    assertThat(decode(capture.bytes())).singleElement().asString().endsWith("icrc ok");
  }

  @Test
  void pcapngInEitherByteOrderAndEveryPacketBlock() throws IOException {
    List<String> expected = decode(pcap(LITTLE_ENDIAN, MICROSECONDS, 101, ""));
    assertThat(decode(pcapng(LITTLE_ENDIAN))).isEqualTo(expected);
    assertThat(decode(pcapng(BIG_ENDIAN))).isEqualTo(expected);
    CaptureBytes obsolete = new CaptureBytes(BIG_ENDIAN).section().interfaceDescription(101, 0);
    packets.forEach(obsolete::obsoletePacket);
    assertThat(decode(obsolete.bytes())).isEqualTo(expected);
    CaptureBytes simple = new CaptureBytes(BIG_ENDIAN).section().interfaceDescription(101, 0);
    packets.forEach(frame -> simple.simplePacket(frame, frame.length));
    assertThat(decode(simple.bytes())).hasSize(3).allMatch(line -> line.endsWith("icrc ok"));
  }

  @Test
  void sectionsMayDifferInByteOrderAndUnknownBlocksAreSkipped() throws IOException {
    CaptureBytes other = new CaptureBytes(BIG_ENDIAN).block(0x0BAD, new CaptureBytes(BIG_ENDIAN).buffer(40_000));
    byte[] twoSections = new CaptureBytes(LITTLE_ENDIAN).raw(pcapng(LITTLE_ENDIAN)).raw(pcapng(BIG_ENDIAN)).bytes();
    assertThat(decode(twoSections)).hasSize(6);
    assertThat(decode(new CaptureBytes(BIG_ENDIAN).raw(pcapng(BIG_ENDIAN)).raw(other.bytes()).bytes())).hasSize(3);
  }

  @Test
  void everySectionNumbersItsInterfacesAnew() throws IOException {
    CaptureBytes capture = new CaptureBytes(LITTLE_ENDIAN).section().interfaceDescription(220, 0);
    capture.section().interfaceDescription(101, 0).enhancedPacket(packets.get(0));
    assertThat(decode(capture.bytes())).hasSize(1);
  }

  @Test
  void interfacesOfOtherKindsAreSkippedInPcapng() throws IOException {
    CaptureBytes capture = new CaptureBytes(LITTLE_ENDIAN).section();
    capture.interfaceDescription(220, 0).interfaceDescription(101, 0);
    capture.enhancedPacket(0, 1, packets.get(0), 10_000).enhancedPacket(1, 2, packets.get(0), 10_000);
    assertThat(decode(capture.bytes())).singleElement().asString().startsWith("2 0.000001 ");
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 6, 9, 12, 0x80 | 10, 0x80 | 30})
  void ticksOfEveryLength(int resolution) throws IOException {
    double perSecond = resolution < 0x80 ? Math.pow(10, resolution) : Math.pow(2, resolution & 0x7F);
    CaptureBytes capture = new CaptureBytes(LITTLE_ENDIAN).section();
    capture.interfaceDescription(101, resolution, 1_700_000_000);
    capture.enhancedPacket(0, 0, packets.get(0), 10_000);
    capture.enhancedPacket(0, (long) (1.5 * perSecond), packets.get(0), 10_000);
    assertThat(decode(capture.bytes()).get(1)).startsWith("2 1.500000 ");
  }

  @Test
  void absurdTicksAreNoReasonToFail() throws IOException {
    for (int resolution = 0; resolution < 256; resolution++) {
      CaptureBytes capture = new CaptureBytes(BIG_ENDIAN).section();
      capture.interfaceDescription(101, resolution, Long.MIN_VALUE);
      capture.enhancedPacket(0, -1, packets.get(0), 10_000);
      assertThat(decode(capture.bytes())).hasSize(1);
    }
  }

  @Test
  void packetsThatTheSnapLengthCutAreNotBad() throws IOException {
    byte[] packet = packets.get(1);
    for (int captured = 0; captured < packet.length; captured++) {
      CaptureBytes capture = new CaptureBytes(LITTLE_ENDIAN).pcapHeader(MICROSECONDS, 101);
      capture.pcapRecord(Arrays.copyOf(packet, captured), packet.length, 0);
      DecodeSummary expected = captured < 28 ? new DecodeSummary(0, 0, 0, 0) : new DecodeSummary(1, 0, 0, 1);
      assertThat(summary(capture.bytes())).as("%d bytes", captured).isEqualTo(expected);
      if (captured >= 28) {
        assertThat(lines).singleElement().asString().endsWith("cut, icrc not checked");
      }
    }
    CaptureBytes simple = new CaptureBytes(LITTLE_ENDIAN).section().interfaceDescription(101, 64);
    simple.simplePacket(Arrays.copyOf(packet, 64), packet.length);
    assertThat(summary(simple.bytes())).isEqualTo(new DecodeSummary(1, 0, 0, 1));
  }

  @Test
  void aPacketShorterThanItClaimsIsMalformedAndNotCut() throws IOException {
    byte[] shortened = Arrays.copyOf(packets.get(1), packets.get(1).length - 1);
    CaptureBytes whole = new CaptureBytes(LITTLE_ENDIAN).pcapHeader(MICROSECONDS, 101).pcapRecord(shortened);
    assertThat(summary(whole.bytes())).isEqualTo(new DecodeSummary(1, 0, 1, 0));
    CaptureBytes cut = new CaptureBytes(LITTLE_ENDIAN).pcapHeader(MICROSECONDS, 101);
    cut.pcapRecord(Arrays.copyOf(shortened, 100), shortened.length, 0);
    assertThat(summary(cut.bytes())).isEqualTo(new DecodeSummary(1, 0, 1, 0));
    assertThat(lines).singleElement().asString().endsWith(" malformed");
  }

  @Test
  void badIcrcsAndUnknownOpcodesAreCounted() throws IOException {
    byte[] flipped = packets.get(0).clone();
    flipped[flipped.length - 1] ^= 1;
    byte[] unknown = packets.get(0).clone();
    unknown[28] = 0x15;
    CaptureBytes capture = new CaptureBytes(LITTLE_ENDIAN).pcapHeader(MICROSECONDS, 101);
    capture.pcapRecord(flipped).pcapRecord(unknown);
    assertThat(summary(capture.bytes())).isEqualTo(new DecodeSummary(2, 1, 1, 0));
    assertThat(lines.get(0)).contains("RC_READ_REQUEST").endsWith("icrc bad");
    assertThat(lines.get(1)).endsWith("unknown opcode 0x15");
  }

  /** A file may end anywhere: what came before is shown, and a cut within a record counts as one malformed. */
  @Test
  void everyCutOfAFile() throws IOException {
    for (byte[] file : List.of(pcap(LITTLE_ENDIAN, MICROSECONDS, 1, MACS + "0800"), pcapng(BIG_ENDIAN))) {
      for (int length = 0; length < file.length; length++) {
        byte[] cut = Arrays.copyOf(file, length);
        try {
          DecodeSummary summary = summary(cut);
          assertThat(summary.badIcrcs() + summary.cut()).isZero();
          assertThat(summary.malformed()).isLessThanOrEqualTo(1);
          assertThat(summary.packets()).isLessThanOrEqualTo(3);
        } catch (CaptureException e) {
          assertThat(length).as(e.getMessage()).isLessThan(28);
        }
      }
    }
    byte[] file = pcap(LITTLE_ENDIAN, MICROSECONDS, 101, "");
    assertThat(summary(Arrays.copyOf(file, file.length - 1))).isEqualTo(new DecodeSummary(2, 0, 1, 0));
    assertThat(lines.get(2)).isEqualTo("3 unreadable from here on: the file ends within a record");
    byte[] blocks = pcapng(LITTLE_ENDIAN);
    assertThat(summary(Arrays.copyOf(blocks, blocks.length - 1)).malformed()).isEqualTo(1);
  }

  @Test
  void everyByteSpoilt() throws IOException {
    packets.remove(1);
    for (byte[] file : List.of(pcap(LITTLE_ENDIAN, MICROSECONDS, 113, COOKED), pcapng(BIG_ENDIAN))) {
      for (int offset = 0; offset < file.length; offset++) {
        byte right = file[offset];
        for (int value : new int[] {0x00, 0x7F, 0x80, 0xFF, right ^ 1}) {
          file[offset] = (byte) value;
          survive(file);
        }
        file[offset] = right;
      }
    }
  }

  @Test
  void garbageBehindEveryMagic() throws IOException {
    long seed = 20261130;
    Random random = new Random(seed);
    byte[][] beginnings = {
      {}, Arrays.copyOf(pcap(LITTLE_ENDIAN, MICROSECONDS, 1, ""), 24), Arrays.copyOf(pcapng(BIG_ENDIAN), 48)
    };
    for (int round = 0; round < 3000; round++) {
      byte[] beginning = beginnings[round % beginnings.length];
      byte[] file = Arrays.copyOf(beginning, beginning.length + random.nextInt(300));
      byte[] garbage = new byte[file.length - beginning.length];
      random.nextBytes(garbage);
      System.arraycopy(garbage, 0, file, beginning.length, garbage.length);
      survive(file);
    }
  }

  @Test
  void aRecordOfAbsurdLengthEndsTheReading() throws IOException {
    CaptureBytes capture = new CaptureBytes(LITTLE_ENDIAN).pcapHeader(MICROSECONDS, 101);
    capture.raw(capture.buffer(16).putLong(0).putInt(-1).putInt(-1).array());
    assertThat(summary(capture.bytes())).isEqualTo(new DecodeSummary(0, 0, 1, 0));
    assertThat(lines).containsExactly("1 unreadable from here on: a record claims to hold 4294967295 bytes");
  }

  @Test
  void whatIsNotACaptureIsSaidInWords() {
    assertThatThrownBy(() -> decode(new byte[0])).isInstanceOf(CaptureException.class).hasMessage("is empty");
    assertThatThrownBy(() -> decode("#!/bin/sh\n".getBytes()))
        .isInstanceOf(CaptureException.class)
        .hasMessage("is no pcap or pcapng file");
    assertThatThrownBy(() -> decode(pcap(LITTLE_ENDIAN, MICROSECONDS, 127, "")))
        .isInstanceOf(CaptureException.class)
        .hasMessageContaining("link type 127");
  }

  private void survive(byte[] file) throws IOException {
    try {
      decode(file);
    } catch (CaptureException e) {
      assertThat(e.getMessage()).isNotBlank().doesNotContain("\n");
    }
  }

  private static byte[] recorded(String where) {
    return Captures.packets().stream()
        .filter(recorded -> recorded.where().equals(where))
        .findFirst()
        .orElseThrow()
        .bytes();
  }

  private byte[] pcap(ByteOrder order, int magic, int linkType, String linkHeader) {
    CaptureBytes capture = new CaptureBytes(order).pcapHeader(magic, linkType);
    packets.forEach(packet -> capture.pcapRecord(CaptureBytes.behind(linkHeader, packet)));
    return capture.bytes();
  }

  private byte[] pcapng(ByteOrder order) {
    CaptureBytes capture = new CaptureBytes(order).section().interfaceDescription(101, 0);
    packets.forEach(capture::enhancedPacket);
    return capture.bytes();
  }

  private List<String> decode(byte[] file) throws IOException {
    summary(file);
    return List.copyOf(lines);
  }

  private DecodeSummary summary(byte[] file) throws IOException {
    lines.clear();
    return new Decoding(lines::add).decode(new ByteArrayInputStream(file));
  }
}
