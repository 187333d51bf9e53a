package io.burst.engine.wire;

import java.nio.ByteBuffer;

/**
 * Writes one packet after the other into buffers, from the IP header to the ICRC: {@link #begin}, the opcode's headers,
 * the payload by the caller, {@link #end}. Owned by one thread; allocates nothing.
 *
 * <p>Buffers are big-endian and indexed absolutely; the position and limit they come with are left as they were.
 */
public final class PacketWriter {
  /** The default partition, full member. */
  private static final int DEFAULT_PARTITION_KEY = 0xFFFF;

  private final Icrc icrc = new Icrc();
  private ByteBuffer buffer;
  private int offset;
  private int bth;
  private Flow flow;
  private Opcode opcode;
  private int missingHeaders;

  /**
   * Starts a packet with the migration request set and the default partition key, as RNICs send them. A CNP has BECN
   * set and no migration request instead, and is complete but for its {@link #end}.
   */
  public void begin(ByteBuffer buffer, int offset, Flow flow, Opcode opcode, int destinationQpn, int psn) {
    this.buffer = buffer;
    this.offset = offset;
    this.flow = flow;
    this.opcode = opcode;
    bth = offset + flow.headerBytes();
    missingHeaders = opcode.headerSet();
    flow.writeHeaders(buffer, offset);
    boolean cnp = opcode == Opcode.CNP;
    int flags = cnp ? 0 : Bth.MIGRATION_REQUEST;
    Bth.write(buffer, bth, opcode.code(), flags, DEFAULT_PARTITION_KEY, destinationQpn, psn);
    if (cnp) {
      Bth.becn(buffer, bth, true);
      int reserved = place(Header.CNP_RESERVED);
      buffer.putLong(reserved, 0).putLong(reserved + Long.BYTES, 0);
    }
  }

  /** Instead of the flow's; covered by the ICRC. */
  public PacketWriter udpSourcePort(int port) {
    buffer.putShort(offset + flow.ipHeaderBytes() + Udp.SOURCE_PORT, (short) port);
    return this;
  }

  public PacketWriter ackRequested(boolean on) {
    Bth.ackRequested(buffer, bth, on);
    return this;
  }

  public PacketWriter solicited(boolean on) {
    Bth.solicited(buffer, bth, on);
    return this;
  }

  public PacketWriter migrationRequested(boolean on) {
    Bth.migrationRequested(buffer, bth, on);
    return this;
  }

  public PacketWriter fecn(boolean on) {
    Bth.fecn(buffer, bth, on);
    return this;
  }

  public PacketWriter becn(boolean on) {
    Bth.becn(buffer, bth, on);
    return this;
  }

  public PacketWriter partitionKey(int partitionKey) {
    Bth.partitionKey(buffer, bth, partitionKey);
    return this;
  }

  /** @param syndrome see {@link Aeth} */
  public PacketWriter aeth(int syndrome, int msn) {
    Aeth.write(buffer, place(Header.AETH), syndrome, msn);
    return this;
  }

  /** @param lengthBytes of the whole message */
  public PacketWriter reth(long address, int key, long lengthBytes) {
    Reth.write(buffer, place(Header.RETH), address, key, lengthBytes);
    return this;
  }

  /** @param compare ignored by a FETCH ADD */
  public PacketWriter atomic(long address, int key, long swapOrAdd, long compare) {
    AtomicEth.write(buffer, place(Header.ATOMIC_ETH), address, key, swapOrAdd, compare);
    return this;
  }

  public PacketWriter atomicAck(long original) {
    AtomicAckEth.write(buffer, place(Header.ATOMIC_ACK_ETH), original);
    return this;
  }

  /** @param immediate the four bytes as they go on the wire, first byte highest */
  public PacketWriter immediate(int immediate) {
    ImmDt.write(buffer, place(Header.IMM_DT), immediate);
    return this;
  }

  public PacketWriter invalidate(int key) {
    Ieth.write(buffer, place(Header.IETH), key);
    return this;
  }

  public PacketWriter deth(int queueKey, int sourceQpn) {
    Deth.write(buffer, place(Header.DETH), queueKey, sourceQpn);
    return this;
  }

  public PacketWriter feth(int placementType, int selectivityLevel) {
    Feth.write(buffer, place(Header.FETH), placementType, selectivityLevel);
    return this;
  }

  /** Where in the buffer the caller puts the payload. */
  public int payloadOffset() {
    return bth + opcode.headerBytes();
  }

  /**
   * Finishes the packet: pad, lengths, checksums, ICRC.
   *
   * @param ipIdentification the IPv4 identification, covered by the ICRC; IPv6 has none
   * @return the packet's length from the IP header to the ICRC
   */
  public int end(int payloadBytes, int ipIdentification) {
    if (missingHeaders != 0) {
      throw new IllegalStateException(opcode + " needs all of " + opcode.headers());
    }
    if (payloadBytes != 0 && !opcode.hasPayload()) {
      throw new IllegalArgumentException(opcode + " carries no payload");
    }
    int padBytes = -payloadBytes & 3;
    int padOffset = payloadOffset() + payloadBytes;
    for (int i = 0; i < padBytes; i++) {
      buffer.put(padOffset + i, (byte) 0);
    }
    Bth.padBytes(buffer, bth, padBytes);
    int coveredBytes = padOffset + padBytes - offset;
    int lengthBytes = coveredBytes + Icrc.BYTES;
    writeLengths(lengthBytes, ipIdentification);
    Icrc.write(buffer, offset + coveredBytes, icrc.compute(buffer, offset, flow.ipHeaderBytes(), coveredBytes));
    return lengthBytes;
  }

  private void writeLengths(int lengthBytes, int ipIdentification) {
    int ipHeaderBytes = flow.ipHeaderBytes();
    short udpLength = (short) (lengthBytes - ipHeaderBytes);
    buffer.putShort(offset + ipHeaderBytes + Udp.LENGTH, udpLength);
    if (flow.isIpv6()) {
      buffer.putShort(offset + Ipv6.PAYLOAD_LENGTH, udpLength);
    } else {
      buffer.putShort(offset + Ipv4.TOTAL_LENGTH, (short) lengthBytes);
      buffer.putShort(offset + Ipv4.IDENTIFICATION, (short) ipIdentification);
      Ipv4.writeChecksum(buffer, offset);
    }
  }

  private int place(Header header) {
    missingHeaders &= ~header.bit();
    return bth + opcode.offsetOf(header);
  }
}
