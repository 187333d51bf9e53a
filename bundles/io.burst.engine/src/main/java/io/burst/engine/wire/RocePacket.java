package io.burst.engine.wire;

import java.nio.ByteBuffer;

/**
 * A received packet, from its IP header to its ICRC, checked once when it is wrapped and then read in place. Owned by
 * one thread and wrapped anew for each packet; allocates nothing.
 *
 * <p>After a verdict of OK or BAD_ICRC the accessors cannot fail, except that reading a header the opcode doesn't have
 * is an IllegalStateException. Buffers are big-endian and indexed absolutely; the position and limit they come with are
 * left as they were.
 */
public final class RocePacket {
  private static final int DATAGRAM_MINIMUM_BYTES = Udp.BYTES + Bth.BYTES + Icrc.BYTES;

  private final Icrc icrc = new Icrc();
  private ByteBuffer buffer;
  private int offset;
  private int availableBytes;
  private int ipHeaderBytes;
  private int ipPayloadBytes;
  private int lengthBytes;
  private int bth;
  private Opcode opcode;
  private int payloadOffset;
  private int payloadBytes;

  /**
   * Takes a packet and checks it: lengths first, then the opcode, then the ICRC.
   *
   * @param lengthBytes bytes received from the IP header on; more than the IP header says when the frame was padded
   */
  public Verdict wrap(ByteBuffer buffer, int offset, int lengthBytes) {
    Verdict verdict = wrapHeaders(buffer, offset, lengthBytes);
    if (verdict == Verdict.TRUNCATED) {
      return Verdict.MALFORMED;
    }
    if (verdict != Verdict.FOREIGN && ipHeaderBytes + ipPayloadBytes > lengthBytes) {
      return Verdict.MALFORMED;
    }
    if (verdict != Verdict.OK) {
      return verdict;
    }
    int coveredBytes = this.lengthBytes - Icrc.BYTES;
    int computed = icrc.compute(buffer, offset, ipHeaderBytes, coveredBytes);
    return computed == Icrc.read(buffer, offset + coveredBytes) ? Verdict.OK : Verdict.BAD_ICRC;
  }

  /**
   * Takes a packet of which only the beginning was recorded, and checks what doesn't need the rest: never the ICRC.
   * After OK all accessors work; the payload may reach beyond the bytes there are.
   *
   * @param availableBytes bytes recorded from the IP header on
   */
  public Verdict wrapHeaders(ByteBuffer buffer, int offset, int availableBytes) {
    this.buffer = buffer;
    this.offset = offset;
    this.availableBytes = availableBytes;
    if (availableBytes < Ipv4.BYTES + Udp.BYTES) {
      return Verdict.FOREIGN;
    }
    return switch (buffer.get(offset) >> 4) {
      case 4 -> wrapIpv4();
      case 6 -> wrapIpv6();
      default -> Verdict.FOREIGN;
    };
  }

  private Verdict wrapIpv4() {
    ipHeaderBytes = Ipv4.BYTES;
    ipPayloadBytes = Ipv4.totalLength(buffer, offset) - Ipv4.BYTES;
    if (buffer.get(offset) != Ipv4.VERSION_AND_WORDS
        || buffer.get(offset + Ipv4.PROTOCOL) != Udp.PROTOCOL
        || Ipv4.isFragment(buffer, offset)
        || !isRoce()) {
      return Verdict.FOREIGN;
    }
    return Ipv4.checksumIsRight(buffer, offset) ? wrapDatagram() : Verdict.MALFORMED;
  }

  private Verdict wrapIpv6() {
    ipHeaderBytes = Ipv6.BYTES;
    if (availableBytes < Ipv6.BYTES + Udp.BYTES
        || buffer.get(offset + Ipv6.NEXT_HEADER) != Udp.PROTOCOL
        || !isRoce()) {
      return Verdict.FOREIGN;
    }
    ipPayloadBytes = Short.toUnsignedInt(buffer.getShort(offset + Ipv6.PAYLOAD_LENGTH));
    return wrapDatagram();
  }

  private boolean isRoce() {
    return Udp.destinationPort(buffer, offset + ipHeaderBytes) == Udp.ROCE_PORT;
  }

  private Verdict wrapDatagram() {
    int udpBytes = Udp.length(buffer, offset + ipHeaderBytes);
    if (udpBytes < DATAGRAM_MINIMUM_BYTES || udpBytes > ipPayloadBytes) {
      return Verdict.MALFORMED;
    }
    lengthBytes = ipHeaderBytes + udpBytes;
    int bthOffset = ipHeaderBytes + Udp.BYTES;
    bth = offset + bthOffset;
    if (availableBytes < bthOffset + Bth.BYTES) {
      return Verdict.TRUNCATED;
    }
    if (Bth.transportVersion(buffer, bth) != 0) {
      return Verdict.MALFORMED;
    }
    opcode = Opcode.of(Bth.opcode(buffer, bth));
    if (opcode == null) {
      return Verdict.UNKNOWN_OPCODE;
    }
    return wrapPayload(bthOffset + opcode.headerBytes());
  }

  private Verdict wrapPayload(int headersEnd) {
    int paddedBytes = lengthBytes - headersEnd - Icrc.BYTES;
    int padBytes = Bth.padBytes(buffer, bth);
    if (paddedBytes < padBytes || (paddedBytes & 3) != 0 || paddedBytes != 0 && !opcode.hasPayload()) {
      return Verdict.MALFORMED;
    }
    payloadOffset = offset + headersEnd;
    payloadBytes = paddedBytes - padBytes;
    return availableBytes < headersEnd ? Verdict.TRUNCATED : Verdict.OK;
  }

  public ByteBuffer buffer() {
    return buffer;
  }

  /** Where in the buffer the IP header starts. */
  public int offset() {
    return offset;
  }

  public boolean isIpv6() {
    return ipHeaderBytes == Ipv6.BYTES;
  }

  public int ipHeaderBytes() {
    return ipHeaderBytes;
  }

  /** Upper half of the source GID: an IPv6 address, or an IPv4 one as {@code ::ffff:a.b.c.d}. */
  public long sourceHigh() {
    return isIpv6() ? buffer.getLong(offset + Ipv6.SOURCE) : 0;
  }

  public long sourceLow() {
    return isIpv6()
        ? buffer.getLong(offset + Ipv6.SOURCE + Long.BYTES)
        : Ipv4.mapped(buffer, offset + Ipv4.SOURCE);
  }

  /** Upper half of the destination GID: an IPv6 address, or an IPv4 one as {@code ::ffff:a.b.c.d}. */
  public long destinationHigh() {
    return isIpv6() ? buffer.getLong(offset + Ipv6.DESTINATION) : 0;
  }

  public long destinationLow() {
    return isIpv6()
        ? buffer.getLong(offset + Ipv6.DESTINATION + Long.BYTES)
        : Ipv4.mapped(buffer, offset + Ipv4.DESTINATION);
  }

  /** The UDP source port. */
  public int sourcePort() {
    return Udp.sourcePort(buffer, offset + ipHeaderBytes);
  }

  /** IPv4 type of service or IPv6 traffic class: DSCP (6 bits) and ECN (2 bits). */
  public int trafficClass() {
    return isIpv6() ? buffer.getInt(offset) >> 20 & 0xFF : buffer.get(offset + Ipv4.TRAFFIC_CLASS) & 0xFF;
  }

  /** The IPv4 identification, or 0 for IPv6, which has none. */
  public int ipIdentification() {
    return isIpv6() ? 0 : Short.toUnsignedInt(buffer.getShort(offset + Ipv4.IDENTIFICATION));
  }

  public Opcode opcode() {
    return opcode;
  }

  /** The opcode as it is in the BTH: what to show of a packet with UNKNOWN_OPCODE. */
  public int opcodeCode() {
    return Bth.opcode(buffer, bth);
  }

  public int destinationQpn() {
    return Bth.queuePair(buffer, bth);
  }

  public int psn() {
    return Bth.psn(buffer, bth);
  }

  public int partitionKey() {
    return Bth.partitionKey(buffer, bth);
  }

  public boolean ackRequested() {
    return Bth.ackRequested(buffer, bth);
  }

  public boolean solicited() {
    return Bth.solicited(buffer, bth);
  }

  public boolean migrationRequested() {
    return Bth.migrationRequested(buffer, bth);
  }

  public boolean fecn() {
    return Bth.fecn(buffer, bth);
  }

  public boolean becn() {
    return Bth.becn(buffer, bth);
  }

  public int padBytes() {
    return Bth.padBytes(buffer, bth);
  }

  /** See {@link Aeth}. */
  public int aethSyndrome() {
    return Aeth.syndrome(buffer, at(Header.AETH));
  }

  public int aethMsn() {
    return Aeth.msn(buffer, at(Header.AETH));
  }

  public long rethAddress() {
    return Reth.address(buffer, at(Header.RETH));
  }

  public int rethKey() {
    return Reth.key(buffer, at(Header.RETH));
  }

  /** Length of the whole message: 0 to 2^32 - 1. */
  public long rethLengthBytes() {
    return Reth.lengthBytes(buffer, at(Header.RETH));
  }

  public long atomicAddress() {
    return AtomicEth.address(buffer, at(Header.ATOMIC_ETH));
  }

  public int atomicKey() {
    return AtomicEth.key(buffer, at(Header.ATOMIC_ETH));
  }

  public long atomicSwapOrAdd() {
    return AtomicEth.swapOrAdd(buffer, at(Header.ATOMIC_ETH));
  }

  public long atomicCompare() {
    return AtomicEth.compare(buffer, at(Header.ATOMIC_ETH));
  }

  public long atomicAckOriginal() {
    return AtomicAckEth.original(buffer, at(Header.ATOMIC_ACK_ETH));
  }

  /** The four bytes as they are on the wire, first byte highest. */
  public int immediate() {
    return ImmDt.immediate(buffer, at(Header.IMM_DT));
  }

  public int invalidateKey() {
    return Ieth.key(buffer, at(Header.IETH));
  }

  public int dethQueueKey() {
    return Deth.queueKey(buffer, at(Header.DETH));
  }

  public int dethSourceQpn() {
    return Deth.sourceQpn(buffer, at(Header.DETH));
  }

  public int fethPlacementType() {
    return Feth.placementType(buffer, at(Header.FETH));
  }

  public int fethSelectivityLevel() {
    return Feth.selectivityLevel(buffer, at(Header.FETH));
  }

  /** Where in the buffer the payload starts. */
  public int payloadOffset() {
    return payloadOffset;
  }

  /** Without the pad. */
  public int payloadBytes() {
    return payloadBytes;
  }

  /** From the IP header to the ICRC, without what the frame was padded with. */
  public int lengthBytes() {
    return lengthBytes;
  }

  private int at(Header header) {
    return bth + opcode.offsetOf(header);
  }
}
