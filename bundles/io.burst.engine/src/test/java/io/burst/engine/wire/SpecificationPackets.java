package io.burst.engine.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/** Packets made by make-specification-packets.py, one for each opcode over IPv4 and over IPv6. */
public final class SpecificationPackets {
  public record Made(String opcode, boolean ipv6, byte[] bytes) {
    @Override
    public String toString() {
      return opcode + (ipv6 ? " over IPv6" : " over IPv4");
    }
  }

  private SpecificationPackets() {}

  public static List<Made> all() {
    try (InputStream in = SpecificationPackets.class.getResourceAsStream("specification-packets.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII).lines().map(SpecificationPackets::made).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Made made(String line) {
    String[] fields = line.split(" ");
    return new Made(fields[0], fields[1].equals("IPv6"), HexFormat.of().parseHex(fields[2]));
  }
}
