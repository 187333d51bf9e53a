package io.burst.engine.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One changed byte anywhere: noticed where the ICRC covers it, and no reason to drop the packet where it doesn't. */
class FlippedBytesTest {
  private static final Set<Integer> IPV4_CHANGEABLE = Set.of(1, 8, 10, 11);
  private static final Set<Integer> IPV6_CHANGEABLE = Set.of(1, 2, 3, 7);

  private final RocePacket packet = new RocePacket();

  /** The first packet of every opcode in every capture, and every specification packet. */
  static List<Captures.Recorded> packets() {
    List<Captures.Recorded> chosen = new ArrayList<>(Captures.oneOfEach());
    SpecificationPackets.all().forEach(made -> chosen.add(new Captures.Recorded(made.toString(), made.bytes())));
    return chosen;
  }

  @ParameterizedTest
  @MethodSource("packets")
  void everyOffsetIsTried(Captures.Recorded recorded) {
    byte[] bytes = recorded.bytes();
    assertThat(wrap(bytes)).isEqualTo(Verdict.OK);
    boolean ipv6 = packet.isIpv6();
    for (int offset = 0; offset < bytes.length; offset++) {
      byte right = bytes[offset];
      for (int flip : new int[] {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xFF}) {
        bytes[offset] = (byte) (right ^ flip);
        check(bytes, offset, flip, ipv6);
      }
      bytes[offset] = right;
    }
    assertThat(wrap(bytes)).isEqualTo(Verdict.OK);
  }

  private void check(byte[] bytes, int offset, int flip, boolean ipv6) {
    Verdict verdict = wrap(bytes);
    int udp = ipv6 ? 40 : 20;
    if (offset == udp + 6 || offset == udp + 7 || offset == udp + 12) {
      expect(verdict, Verdict.OK, offset, flip);
    } else if (ipv6 && (IPV6_CHANGEABLE.contains(offset) || offset == 0 && flip < 0x10)) {
      expect(verdict, Verdict.OK, offset, flip);
    } else if (!ipv6 && IPV4_CHANGEABLE.contains(offset)) {
      // The IPv4 header has a checksum of its own; with it put right, the ICRC must not mind.
      expect(verdict, Verdict.MALFORMED, offset, flip);
      byte[] repaired = bytes.clone();
      Ipv4.writeChecksum(ByteBuffer.wrap(repaired), 0);
      expect(wrap(repaired), Verdict.OK, offset, flip);
    } else if (offset >= udp + 24 || isIdentityOnly(offset, udp, ipv6)) {
      expect(verdict, Verdict.BAD_ICRC, offset, flip);
    } else if (verdict == Verdict.OK) {
      throw new AssertionError("unnoticed: byte " + offset + " xor " + flip);
    } else if (!ipv6 && offset < udp && verdict == Verdict.MALFORMED) {
      byte[] repaired = bytes.clone();
      Ipv4.writeChecksum(ByteBuffer.wrap(repaired), 0);
      assertThat(wrap(repaired)).as("byte %d xor %02x", offset, flip).isNotEqualTo(Verdict.OK);
    }
  }

  /** Bytes that no check but the ICRC can judge: UDP source port, P_Key, queue pair, PSN, IPv6 addresses. */
  private static boolean isIdentityOnly(int offset, int udp, boolean ipv6) {
    int inUdp = offset - udp;
    boolean bth = inUdp == 10 || inUdp == 11 || inUdp >= 13 && inUdp < 20;
    return inUdp == 0 || inUdp == 1 || bth || ipv6 && offset >= 8 && offset < 40;
  }

  private Verdict wrap(byte[] bytes) {
    return packet.wrap(ByteBuffer.wrap(bytes), 0, bytes.length);
  }

  private static void expect(Verdict actual, Verdict expected, int offset, int flip) {
    if (actual != expected) {
      throw new AssertionError(actual + ", expected " + expected + ": byte " + offset + " xor " + flip);
    }
  }
}
