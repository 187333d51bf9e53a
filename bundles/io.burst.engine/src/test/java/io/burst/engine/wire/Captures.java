package io.burst.engine.wire;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The packets that other implementations made. Reads just what the recordings are, classic little-endian pcap of
 * Ethernet frames, on purpose without the product's own reader.
 */
public final class Captures {
  /** One recorded packet from its IP header to the end of its frame. */
  public record Recorded(String where, byte[] bytes) {
    private byte opcode() {
      return bytes[bytes[0] == 0x60 ? 48 : 28];
    }

    @Override
    public String toString() {
      return where;
    }
  }

  private static final Path FOLDER = Path.of("../../itests/captures");
  private static final int FILE_HEADER_BYTES = 24;
  private static final int RECORD_HEADER_BYTES = 16;
  private static final int ETHERNET_BYTES = 14;
  private static final int ROCE_PORT = 4791;

  private Captures() {}

  public static List<Path> files() {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.filter(file -> file.toString().endsWith(".pcap")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static List<Recorded> packets() {
    return files().stream().flatMap(file -> packets(file).stream()).toList();
  }

  /** The first packet of every opcode in every capture. */
  public static List<Recorded> oneOfEach() {
    List<Recorded> chosen = new ArrayList<>();
    for (Path file : files()) {
      Set<Byte> seen = new HashSet<>();
      packets(file).stream().filter(recorded -> seen.add(recorded.opcode())).forEach(chosen::add);
    }
    return chosen;
  }

  public static List<Recorded> packets(Path file) {
    List<Recorded> packets = new ArrayList<>();
    ByteBuffer capture = read(file);
    capture.order(LITTLE_ENDIAN).position(FILE_HEADER_BYTES);
    for (int number = 1; capture.remaining() >= RECORD_HEADER_BYTES; number++) {
      int frameBytes = capture.getInt(capture.position() + 8);
      byte[] frame = new byte[frameBytes];
      capture.position(capture.position() + RECORD_HEADER_BYTES).get(frame);
      ByteBuffer ip = ByteBuffer.wrap(frame, ETHERNET_BYTES, frameBytes - ETHERNET_BYTES).slice().order(BIG_ENDIAN);
      if (isRoce(ip)) {
        byte[] bytes = new byte[ip.remaining()];
        ip.get(bytes);
        packets.add(new Recorded(file.getFileName() + " #" + number, bytes));
      }
    }
    return packets;
  }

  private static boolean isRoce(ByteBuffer ip) {
    boolean ipv6 = ip.get(0) == 0x60;
    int udp = ipv6 ? 40 : 20;
    return (ipv6 || ip.get(0) == 0x45)
        && ip.limit() > udp + 8
        && ip.get(ipv6 ? 6 : 9) == 17
        && Short.toUnsignedInt(ip.getShort(udp + 2)) == ROCE_PORT;
  }

  private static ByteBuffer read(Path file) {
    try {
      return ByteBuffer.wrap(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
