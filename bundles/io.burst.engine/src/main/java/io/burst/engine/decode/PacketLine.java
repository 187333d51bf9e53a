package io.burst.engine.decode;

import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Header;
import io.burst.engine.wire.RocePacket;
import java.util.Locale;

/** Puts one packet into one line for a reader. Owned by the thread that decodes the file. */
final class PacketLine {
  private static final long NS_PER_SECOND = 1_000_000_000L;
  private static final int CONGESTION_EXPERIENCED = 3;
  private static final int GROUPS = 8;

  private final StringBuilder line = new StringBuilder(160);

  /** Starts a line with what every packet has. */
  PacketLine begin(long frameNumber, long timeNs, RocePacket packet) {
    line.setLength(0);
    line.append(frameNumber).append(' ');
    appendTime(timeNs);
    appendAddress(packet.isIpv6(), packet.sourceHigh(), packet.sourceLow());
    line.append(" > ");
    appendAddress(packet.isIpv6(), packet.destinationHigh(), packet.destinationLow());
    return this;
  }

  /** Adds the headers behind UDP and the payload's length. */
  PacketLine fields(RocePacket packet) {
    line.append(' ').append(packet.opcode());
    hex("qp", packet.destinationQpn());
    line.append(" psn=").append(packet.psn());
    flag("ackreq", packet.ackRequested());
    flag("solicited", packet.solicited());
    flag("fecn", packet.fecn());
    flag("becn", packet.becn());
    flag("ce", (packet.trafficClass() & CONGESTION_EXPERIENCED) == CONGESTION_EXPERIENCED);
    for (Header header : packet.opcode().headers()) {
      header(header, packet);
    }
    line.append(" payload=").append(packet.payloadBytes());
    return this;
  }

  /** Ends the line with a remark. */
  String end(String remark) {
    return line.append(' ').append(remark).toString();
  }

  private void header(Header header, RocePacket packet) {
    switch (header) {
      case RETH -> {
        hex("va", packet.rethAddress());
        hex("rkey", Integer.toUnsignedLong(packet.rethKey()));
        line.append(" length=").append(packet.rethLengthBytes());
      }
      case AETH -> {
        line.append(' ');
        appendSyndrome(packet.aethSyndrome());
        line.append(" msn=").append(packet.aethMsn());
      }
      case ATOMIC_ETH -> {
        hex("va", packet.atomicAddress());
        hex("rkey", Integer.toUnsignedLong(packet.atomicKey()));
        hex("swap_or_add", packet.atomicSwapOrAdd());
        hex("compare", packet.atomicCompare());
      }
      case ATOMIC_ACK_ETH -> hex("original", packet.atomicAckOriginal());
      case IMM_DT -> hex("immediate", Integer.toUnsignedLong(packet.immediate()));
      case IETH -> hex("invalidate", Integer.toUnsignedLong(packet.invalidateKey()));
      case DETH -> {
        hex("qkey", Integer.toUnsignedLong(packet.dethQueueKey()));
        hex("source_qp", packet.dethSourceQpn());
      }
      case FETH -> {
        line.append(" placement=").append(packet.fethPlacementType());
        line.append(" selectivity=").append(packet.fethSelectivityLevel());
      }
      case CNP_RESERVED -> { }
    }
  }

  private void appendSyndrome(int syndrome) {
    if (Aeth.isAck(syndrome)) {
      line.append("ack");
    } else if (Aeth.isRnrNak(syndrome)) {
      line.append("rnr_nak=").append(Aeth.rnrTimerNs(syndrome) / 1000).append("us");
    } else {
      line.append("nak=").append(nakName(syndrome));
    }
  }

  private static String nakName(int syndrome) {
    return switch (syndrome) {
      case Aeth.NAK_SEQUENCE_ERROR -> "psn_sequence_error";
      case Aeth.NAK_INVALID_REQUEST -> "invalid_request";
      case Aeth.NAK_REMOTE_ACCESS_ERROR -> "remote_access_error";
      case Aeth.NAK_REMOTE_OPERATIONAL_ERROR -> "remote_operational_error";
      default -> "0x" + Integer.toHexString(syndrome);
    };
  }

  private void flag(String name, boolean on) {
    if (on) {
      line.append(' ').append(name);
    }
  }

  private void hex(String name, long value) {
    line.append(' ').append(name).append("=0x").append(Long.toHexString(value));
  }

  /** Seconds with six decimals. */
  private void appendTime(long timeNs) {
    line.append(String.format(Locale.ROOT, "%.6f ", (double) timeNs / NS_PER_SECOND));
  }

  private void appendAddress(boolean ipv6, long high, long low) {
    if (ipv6) {
      appendIpv6(high, low);
    } else {
      line.append(low >> 24 & 0xFF).append('.').append(low >> 16 & 0xFF).append('.');
      line.append(low >> 8 & 0xFF).append('.').append(low & 0xFF);
    }
  }

  /** RFC 5952: the first of the longest runs of two or more zero groups becomes a double colon. */
  private void appendIpv6(long high, long low) {
    int runStart = GROUPS;
    int runLength = 1;
    for (int start = 0; start < GROUPS; start++) {
      int end = start;
      while (end < GROUPS && group(high, low, end) == 0) {
        end++;
      }
      if (end - start > runLength) {
        runStart = start;
        runLength = end - start;
      }
    }
    for (int group = 0; group < GROUPS; group++) {
      if (group == runStart) {
        line.append("::");
        group += runLength - 1;
      } else {
        boolean first = group == 0 || group == runStart + runLength;
        line.append(first ? "" : ":").append(Integer.toHexString(group(high, low, group)));
      }
    }
  }

  private static int group(long high, long low, int number) {
    long half = number < GROUPS / 2 ? high : low;
    return (int) (half >> 48 - 16 * (number % (GROUPS / 2))) & 0xFFFF;
  }
}
