package io.burst.engine.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.burst.admin.CaptureException;
import io.burst.admin.DecodeSummary;
import io.burst.engine.wire.Captures;
import io.burst.engine.wire.Opcode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The decoder as the command line uses it, on what others recorded and against what another decoder says. */
class CaptureDecoderTest {
  private static final int PCAP_HEADER_BYTES = 24;
  private static final int SMALL_BYTES = 400;

  @TempDir Path folder;

  private final CaptureDecoder decoder = new CaptureDecoder();
  private final List<String> lines = new ArrayList<>();

  static List<Path> captures() {
    return Captures.files();
  }

  @ParameterizedTest
  @MethodSource("captures")
  void findsNothingWrongInWhatOthersSent(Path capture) throws IOException {
    DecodeSummary summary = decoder.decode(capture, lines::add);
    assertThat(summary).isEqualTo(new DecodeSummary(Captures.packets(capture).size(), 0, 0, 0));
    assertThat(lines).hasSize((int) summary.packets()).allMatch(line -> line.endsWith(" icrc ok"));
  }

  static List<Captures.Recorded> packets() {
    return Captures.oneOfEach().stream().filter(recorded -> recorded.bytes().length < SMALL_BYTES).toList();
  }

  /** Also where the flip makes another protocol's packet of it: IP version, protocol, fragment flags, UDP port. */
  @ParameterizedTest
  @MethodSource("packets")
  void noticesAFlipOfAnyByteThatTheIcrcCovers(Captures.Recorded recorded) throws IOException {
    byte[] packet = recorded.bytes();
    CaptureBytes capture = new CaptureBytes(ByteOrder.LITTLE_ENDIAN).pcapHeader(0xA1B2C3D4, 101);
    Set<Integer> changeable = packet[0] == 0x60 ? Set.of(1, 2, 3, 7, 46, 47, 52) : Set.of(1, 8, 10, 11, 26, 27, 32);
    for (int offset = 0; offset < packet.length; offset++) {
      if (!changeable.contains(offset)) {
        for (int flip : new int[] {0x10, 0x80, 0xFF}) {
          byte[] flipped = packet.clone();
          flipped[offset] ^= (byte) flip;
          capture.pcapRecord(flipped);
        }
      }
    }
    DecodeSummary summary = new Decoding(lines::add).decode(new ByteArrayInputStream(capture.bytes()));
    int flips = 3 * (packet.length - changeable.size());
    assertThat(summary.badIcrcs() + summary.malformed()).isEqualTo(flips);
    assertThat(summary.packets()).isEqualTo(flips);
  }

  /** Opcodes, queue pairs and sequence numbers as Wireshark's dissector reads them, over all captures in one run. */
  @Test
  void agreesWithTshark() throws Exception {
    assumeTrue(isInstalled("tshark"), "tshark is not installed");
    Path all = folder.resolve("all.pcap");
    Files.write(all, concatenated());
    decoder.decode(all, lines::add);
    List<String> ours = lines.stream().map(CaptureDecoderTest::asTsharkPrintsIt).toList();
    List<String> theirs = run("tshark", "-r", all.toString(), "-Y", "infiniband.bth", "-T", "fields",
        "-e", "frame.number", "-e", "infiniband.bth.opcode", "-e", "infiniband.bth.destqp", "-e", "infiniband.bth.psn");
    assertThat(ours).hasSizeGreaterThan(1000).isEqualTo(theirs);
  }

  @ParameterizedTest
  @ValueSource(strings = {"pcapng", "nsecpcap"})
  void readsTheFormatsThatWiresharkWrites(String format) throws Exception {
    assumeTrue(isInstalled("editcap"), "editcap is not installed");
    Path original = captures().stream().filter(file -> file.endsWith("rping.pcap")).findFirst().orElseThrow();
    Path converted = folder.resolve("converted");
    run("editcap", "-F", format, original.toString(), converted.toString());
    List<String> expected = new ArrayList<>();
    decoder.decode(original, expected::add);
    decoder.decode(converted, lines::add);
    assertThat(lines).isEqualTo(expected);
  }

  /** The values are those that Wireshark shows for these frames. */
  @Test
  void linesShowTheHeaders() throws IOException {
    assertThat(line("read-1024.pcap", 1)).isEqualTo("1 0.000000 10.77.0.3 > 10.77.0.2 RC_READ_REQUEST qp=0x16"
        + " psn=2820078 ackreq va=0x55745cf7a388 rkey=0x790 length=5000 payload=0 icrc ok");
    assertThat(line("read-1024.pcap", 2)).isEqualTo("2 0.000352 10.77.0.2 > 10.77.0.3 RC_READ_RESPONSE_FIRST qp=0x16"
        + " psn=2820078 ack msn=1 payload=1024 icrc ok");
    assertThat(line("rping-ipv6.pcap", 1)).isEqualTo("1 0.000000 fd77::3 > fd77::2 UD_SEND_ONLY qp=0x1 psn=0 ackreq"
        + " qkey=0x80010000 source_qp=0x1 payload=256 icrc ok");
    assertThat(line("send-rnr.pcap", 19)).endsWith(" RC_ACKNOWLEDGE qp=0x28 psn=12169356 rnr_nak=640us msn=2 payload=0"
        + " icrc ok");
    assertThat(line("send-rnr.pcap", 20)).contains(" nak=psn_sequence_error msn=2 ");
    assertThat(line("rstream.pcap", 4)).contains(" RC_WRITE_ONLY_IMMEDIATE ", " length=16 immediate=0x80000180 ");
    assertThat(line("cnp-connectx4.pcap", 1)).endsWith(" CNP qp=0x118 psn=0 becn payload=0 icrc ok");
  }

  @Test
  void whatIsNotACaptureIsSaidInOneLine() throws IOException {
    Path text = Files.writeString(folder.resolve("text.txt"), "not a capture\n");
    Path empty = Files.createFile(folder.resolve("empty.pcap"));
    Path missing = folder.resolve("missing.pcap");
    assertThatThrownBy(() -> decoder.decode(text, lines::add))
        .isInstanceOf(CaptureException.class)
        .hasMessage(text + " is no pcap or pcapng file");
    assertThatThrownBy(() -> decoder.decode(empty, lines::add))
        .isInstanceOf(CaptureException.class)
        .hasMessage(empty + " is empty");
    assertThatThrownBy(() -> decoder.decode(folder, lines::add))
        .isInstanceOf(CaptureException.class)
        .hasMessage(folder + " is a directory");
    assertThatThrownBy(() -> decoder.decode(missing, lines::add))
        .isInstanceOf(IOException.class)
        .hasMessage(missing + " does not exist");
    assertThat(lines).isEmpty();
  }

  private String line(String capture, int number) throws IOException {
    lines.clear();
    decoder.decode(captures().stream().filter(file -> file.endsWith(capture)).findFirst().orElseThrow(), lines::add);
    return lines.get(number - 1);
  }

  private static byte[] concatenated() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (Path capture : captures()) {
      byte[] bytes = Files.readAllBytes(capture);
      int skip = all.size() == 0 ? 0 : PCAP_HEADER_BYTES;
      all.write(bytes, skip, bytes.length - skip);
    }
    return all.toByteArray();
  }

  private static String asTsharkPrintsIt(String line) {
    String[] words = line.split(" ");
    int queuePair = Integer.parseInt(words[6].substring("qp=0x".length()), 16);
    String psn = words[7].substring("psn=".length());
    return "%s\t%d\t0x%06x\t%s".formatted(words[0], Opcode.valueOf(words[5]).code(), queuePair, psn);
  }

  private static boolean isInstalled(String program) {
    return Arrays.stream(System.getenv("PATH").split(":")).anyMatch(bin -> Files.isExecutable(Path.of(bin, program)));
  }

  private static List<String> run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    List<String> output = new String(process.getInputStream().readAllBytes()).lines().toList();
    assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
    return output;
  }
}
