package io.burst.engine.decode;

import io.burst.admin.CaptureException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The classic format (draft-ietf-opsawg-pcap): a file header of 24 bytes with the link type at 20, then records of
 * seconds, fraction, captured length, original length (32 bits each) and the frame. Owned by the thread that decodes
 * the file.
 */
final class PcapReader implements CaptureReader {
  private static final int MICROSECONDS = 0xA1B2C3D4;
  private static final int NANOSECONDS = 0xA1B23C4D;
  private static final int FILE_HEADER_REST_BYTES = 20;
  private static final int LINK_TYPE = 16;
  /** The upper half tells the length of the frame check sequence. */
  private static final int LINK_TYPE_MASK = 0xFFFF;
  private static final int RECORD_HEADER_BYTES = 16;
  private static final long NS_PER_SECOND = 1_000_000_000L;

  private final CaptureInput input;
  private final int linkType;
  private final long fractionNs;
  private String damage;

  /** @param magic the file's first four bytes in network order, already read */
  PcapReader(CaptureInput input, int magic) throws IOException {
    this.input = input;
    boolean bigEndian = magic == MICROSECONDS || magic == NANOSECONDS;
    int number = bigEndian ? magic : Integer.reverseBytes(magic);
    if (number != MICROSECONDS && number != NANOSECONDS) {
      throw new CaptureException("is no pcap or pcapng file");
    }
    fractionNs = number == NANOSECONDS ? 1 : 1000;
    input.order(bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    if (!input.read(FILE_HEADER_REST_BYTES)) {
      throw new CaptureException("ends within the pcap file header");
    }
    linkType = input.header().getInt(LINK_TYPE) & LINK_TYPE_MASK;
    if (!LinkLayer.isKnown(linkType)) {
      throw new CaptureException("has frames of link type " + linkType + ", not Ethernet, Linux cooked or raw IP");
    }
  }

  @Override
  public boolean next(CaptureRecord record) throws IOException {
    if (!input.read(RECORD_HEADER_BYTES)) {
      return input.gotNothing() ? false : damaged("the file ends within a record");
    }
    ByteBuffer header = input.header();
    long capturedBytes = Integer.toUnsignedLong(header.getInt(8));
    if (capturedBytes > CaptureRecord.MAXIMUM_BYTES) {
      return damaged("a record claims to hold " + capturedBytes + " bytes");
    }
    record.linkType = linkType;
    record.timeNs = Integer.toUnsignedLong(header.getInt(0)) * NS_PER_SECOND
        + Integer.toUnsignedLong(header.getInt(4)) * fractionNs;
    record.capturedBytes = (int) capturedBytes;
    record.originalBytes = Integer.toUnsignedLong(header.getInt(12));
    return input.read(record.data, record.capturedBytes) || damaged("the file ends within a record");
  }

  @Override
  public String damage() {
    return damage;
  }

  private boolean damaged(String what) {
    damage = what;
    return false;
  }
}
