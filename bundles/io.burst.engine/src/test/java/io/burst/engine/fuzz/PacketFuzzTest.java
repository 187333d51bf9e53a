package io.burst.engine.fuzz;

import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.burst.engine.wire.Captures;
import io.burst.engine.wire.Header;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.PacketCopy;
import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.SpecificationPackets;
import io.burst.engine.wire.Verdict;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any bytes may arrive. Without the fuzzer this runs over the recorded packets; with it (profile fuzz) coverage leads
 * the way.
 *
 * <p>The first byte of an input says what becomes of the rest: an odd one has lengths, checksum and ICRC put right, so
 * that the fuzzer gets past them.
 */
class PacketFuzzTest {
  private static final int OFFSET = 16;
  private static final int SEED_MAXIMUM_BYTES = 400;

  private final RocePacket packet = new RocePacket();

  static Stream<Arguments> seeds() {
    Stream<byte[]> recorded = Captures.oneOfEach().stream().map(Captures.Recorded::bytes);
    Stream<byte[]> made = SpecificationPackets.all().stream().map(SpecificationPackets.Made::bytes);
    return Stream.concat(recorded, made)
        .filter(packet -> packet.length < SEED_MAXIMUM_BYTES)
        .flatMap(packet -> Stream.of(input(0, packet), input(1, packet)));
  }

  @MethodSource("seeds")
  @FuzzTest
  void anyBytes(byte[] input) {
    if (input == null || input.length == 0) {
      return;
    }
    byte[] bytes = Arrays.copyOfRange(input, 1, input.length);
    if ((input[0] & 1) != 0) {
      Seal.repair(bytes);
    }
    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length + 2 * OFFSET).put(OFFSET, bytes).position(3);
    buffer.limit(OFFSET + bytes.length);
    Verdict verdict = packet.wrap(buffer, OFFSET, bytes.length);
    check(buffer.position() == 3 && buffer.limit() == OFFSET + bytes.length, "position or limit moved", bytes);
    if (verdict == Verdict.OK || verdict == Verdict.BAD_ICRC) {
      checkAccepted(verdict, bytes);
    }
    Verdict headers = packet.wrapHeaders(buffer, OFFSET, bytes.length);
    check(verdict != Verdict.OK || headers == Verdict.OK, "headers alone are not accepted", bytes);
  }

  private void checkAccepted(Verdict verdict, byte[] bytes) {
    check((verdict == Verdict.OK) == Seal.isRight(bytes, packet.lengthBytes()), "the ICRC is another", bytes);
    int end = packet.payloadOffset() + packet.payloadBytes() + packet.padBytes() + Seal.ICRC_BYTES;
    check(end == OFFSET + packet.lengthBytes(), "payload and pad don't reach the ICRC", bytes);
    check(packet.lengthBytes() <= bytes.length, "reaches beyond the frame", bytes);
    check(packet.payloadBytes() >= 0, "negative payload", bytes);
    byte[] copy = PacketCopy.of(packet);
    byte[] expected = Arrays.copyOf(bytes, packet.lengthBytes());
    clearWhatIsNotKept(ByteBuffer.wrap(expected));
    Seal.repair(expected);
    check(Arrays.equals(copy, expected), "rebuilt as " + HexFormat.of().formatHex(copy), expected);
  }

  /** Reserved bits and what the writer always sets the same way; readers ignore them. */
  private void clearWhatIsNotKept(ByteBuffer bytes) {
    int udp = packet.ipHeaderBytes();
    if (packet.isIpv6()) {
      bytes.putInt(0, bytes.getInt(0) & 0xFFF0_0000).put(7, (byte) 64);
    } else {
      bytes.putShort(6, (short) 0x4000).put(8, (byte) 64);
    }
    bytes.putShort(udp + 6, (short) 0);
    int bth = udp + 8;
    bytes.put(bth + 4, (byte) (bytes.get(bth + 4) & 0xC0)).put(bth + 8, (byte) (bytes.get(bth + 8) & 0x80));
    Opcode opcode = packet.opcode();
    if (opcode.has(Header.DETH)) {
      bytes.put(bth + 16, (byte) 0);
    } else if (opcode.has(Header.FETH)) {
      bytes.putInt(bth + 12, bytes.getInt(bth + 12) & 0x3F);
    } else if (opcode == Opcode.CNP) {
      bytes.putLong(bth + 12, 0).putLong(bth + 20, 0);
    }
    int pad = packet.payloadOffset() - OFFSET + packet.payloadBytes();
    for (int i = 0; i < packet.padBytes(); i++) {
      bytes.put(pad + i, (byte) 0);
    }
  }

  private static Arguments input(int control, byte[] packet) {
    byte[] input = new byte[1 + packet.length];
    input[0] = (byte) control;
    System.arraycopy(packet, 0, input, 1, packet.length);
    return arguments(input);
  }

  private static void check(boolean right, String complaint, byte[] bytes) {
    if (!right) {
      throw new AssertionError(complaint + ": " + HexFormat.of().formatHex(bytes));
    }
  }
}
