package io.burst.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.burst.admin.CaptureException;
import io.burst.admin.DecodeSummary;
import io.burst.admin.PacketDecoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class DecodeTest {

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int decode(PacketDecoder decoder, String... arguments) {
    return new Decode(decoder).apply(arguments,
        new PrintStream(out, false, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private static PacketDecoder holding(DecodeSummary summary) {
    return (file, lines) -> {
      lines.accept("first of " + file);
      return summary;
    };
  }

  @Test
  void printsALineAPacketAndTheCounts() {
    assertThat(decode(holding(new DecodeSummary(3, 0, 0, 2)), "a.pcap")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo("first of a.pcap\n3 packets, 0 bad ICRCs, 0 malformed, 2 cut\n");
    assertThat(err.size()).isZero();
  }

  @Test
  void countsEachOfSeveralFiles() {
    assertThat(decode(holding(new DecodeSummary(1, 0, 0, 0)), "a", "b")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("""
        first of a
        a: 1 packets, 0 bad ICRCs, 0 malformed, 0 cut
        first of b
        b: 1 packets, 0 bad ICRCs, 0 malformed, 0 cut
        """);
  }

  @Test
  void endsWith1WhenAnyPacketIsBadOrMalformed() {
    assertThat(decode(holding(new DecodeSummary(1, 1, 0, 0)), "a")).isEqualTo(1);
    assertThat(decode(holding(new DecodeSummary(1, 0, 1, 0)), "a")).isEqualTo(1);
  }

  @Test
  void endsWith2AndOneLineWhenAFileIsNoCaptureOrNotThere() {
    assertThat(decode((file, lines) -> {
      throw new CaptureException("a is not a pcap or pcapng file");
    }, "a")).isEqualTo(2);
    assertThat(decode((file, lines) -> {
      throw new IOException("b does not exist");
    }, "b")).isEqualTo(2);
    assertThat(decode((file, lines) -> {
      throw new IOException("Input/output error");
    }, "c")).isEqualTo(2);
    assertThat(decode(holding(new DecodeSummary(0, 0, 0, 0)))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("""
        burst decode: a is not a pcap or pcapng file
        burst decode: b does not exist
        burst decode: c: Input/output error
        burst decode: no FILE; --help lists the flags
        """);
  }

  @Test
  void endsWith1WhenTheOutputIsClosed() {
    PrintStream closed = new PrintStream(new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException("Broken pipe");
      }
    });
    assertThat(new Decode(holding(new DecodeSummary(1, 0, 0, 0)))
        .apply(new String[] {"a"}, closed, new PrintStream(err, true, StandardCharsets.UTF_8))).isEqualTo(1);
  }
}
