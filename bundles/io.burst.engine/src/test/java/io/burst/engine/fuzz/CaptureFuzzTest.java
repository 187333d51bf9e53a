package io.burst.engine.fuzz;

import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.burst.admin.CaptureException;
import io.burst.admin.DecodeSummary;
import io.burst.engine.decode.CaptureBytes;
import io.burst.engine.decode.Decoding;
import io.burst.engine.wire.Captures;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any file may be decoded. Without the fuzzer this runs over recorded captures; with it (profile fuzz) coverage leads
 * the way.
 */
class CaptureFuzzTest {
  private static final long SEED_MAXIMUM_BYTES = 4000;

  static Stream<Arguments> seeds() {
    Stream<byte[]> pcaps = Captures.files().stream().filter(file -> sizeOf(file) < SEED_MAXIMUM_BYTES).map(
        CaptureFuzzTest::read);
    Stream<byte[]> pcapngs = Stream.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN).map(CaptureFuzzTest::pcapng);
    return Stream.concat(pcaps, pcapngs).map(bytes -> arguments(bytes));
  }

  @MethodSource("seeds")
  @FuzzTest
  void anyFile(byte[] file) throws IOException {
    if (file == null) {
      return;
    }
    List<String> lines = new ArrayList<>();
    try {
      DecodeSummary summary = new Decoding(lines::add).decode(new ByteArrayInputStream(file));
      long wrong = summary.badIcrcs() + summary.malformed() + summary.cut();
      if (lines.size() < summary.packets() || lines.size() > summary.packets() + 1 || wrong > lines.size()) {
        throw new AssertionError(summary + " but " + lines.size() + " lines");
      }
    } catch (CaptureException e) {
      lines.add(e.getMessage());
    }
    for (String line : lines) {
      if (line.isBlank() || line.indexOf('\n') >= 0) {
        throw new AssertionError("not one line: " + line);
      }
    }
  }

  private static byte[] pcapng(ByteOrder order) {
    CaptureBytes capture = new CaptureBytes(order).section().interfaceDescription(101, 9, 1);
    Captures.packets().stream().limit(5).forEach(recorded -> capture.enhancedPacket(recorded.bytes()));
    return capture.bytes();
  }

  private static long sizeOf(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
