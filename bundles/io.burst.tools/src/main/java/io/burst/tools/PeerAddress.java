package io.burst.tools;

import io.burst.verbs.Gid;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where an end can be reached, and its text as ibv_rc_pingpong exchanges it: {@code lid:qpn:psn:gid} in hexadecimal,
 * 4, 6, 6 and 32 digits.
 *
 * @param lid the InfiniBand address, 0 on RoCE
 * @param queuePairNumber 24 bit
 * @param psn the first PSN that it sends, 24 bit
 */
record PeerAddress(int lid, int queuePairNumber, int psn, Gid gid) {

  static final int TEXT_CHARS = "0000:000000:000000:00000000000000000000000000000000".length();

  private static final Pattern TEXT = Pattern.compile(
      "([0-9a-fA-F]{4}):([0-9a-fA-F]{6}):([0-9a-fA-F]{6}):([0-9a-fA-F]{16})([0-9a-fA-F]{16})");

  String text() {
    return String.format("%04x:%06x:%06x:%016x%016x", lid, queuePairNumber, psn, gid.high(), gid.low());
  }

  /** @throws IllegalArgumentException when it isn't such a text */
  static PeerAddress parse(String text) {
    Matcher fields = TEXT.matcher(text);
    if (!fields.matches()) {
      throw new IllegalArgumentException("not an address as ibv_rc_pingpong sends it");
    }
    return new PeerAddress(
        Integer.parseInt(fields.group(1), 16),
        Integer.parseInt(fields.group(2), 16),
        Integer.parseInt(fields.group(3), 16),
        new Gid(Long.parseUnsignedLong(fields.group(4), 16), Long.parseUnsignedLong(fields.group(5), 16)));
  }

  boolean hasGid() {
    return gid.high() != 0 || gid.low() != 0;
  }

  /** As ibv_rc_pingpong prints it. */
  String describe() {
    return String.format("LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %s", lid, queuePairNumber, psn, gid);
  }
}
