package io.burst.engine.decode;

import io.burst.admin.CaptureException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The newer format (draft-ietf-opsawg-pcapng): blocks of type, total length, body, total length again (32 bits each),
 * padded to four bytes; sections may differ in byte order. Owned by the thread that decodes the file.
 */
final class PcapngReader implements CaptureReader {
  /** The same in either byte order. */
  static final int SECTION_HEADER = 0x0A0D0D0A;

  private static final int INTERFACE_DESCRIPTION = 1;
  private static final int OBSOLETE_PACKET = 2;
  private static final int SIMPLE_PACKET = 3;
  private static final int ENHANCED_PACKET = 6;
  private static final int BYTE_ORDER_MAGIC = 0x1A2B3C4D;
  /** Type and both total lengths. */
  private static final int BLOCK_OVERHEAD_BYTES = 12;
  private static final int PACKET_HEADER_BYTES = 20;
  private static final int INTERFACE_HEADER_BYTES = 8;

  private final CaptureInput input;
  private final List<CaptureInterface> interfaces = new ArrayList<>();
  private long blockBytes;
  /** Bytes of the current block's body that were not read yet. */
  private long bodyBytes;
  private String damage;

  /** The file's first four bytes, a section header's type, are already read. */
  PcapngReader(CaptureInput input) throws IOException {
    this.input = input;
    if (!beginSection() || !endBlock()) {
      throw new CaptureException("has a damaged pcapng section header");
    }
  }

  @Override
  public boolean next(CaptureRecord record) throws IOException {
    while (input.read(Integer.BYTES)) {
      int type = input.header().getInt(0);
      if (type == SECTION_HEADER ? !beginSection() : !beginBlock()) {
        return damaged("a block has an impossible length, or the file ends within");
      }
      boolean isPacket = type == ENHANCED_PACKET || type == OBSOLETE_PACKET || type == SIMPLE_PACKET;
      if (isPacket && !readPacket(type, record) || type == INTERFACE_DESCRIPTION && !readInterface()) {
        return damaged("a block contradicts itself, or the file ends within");
      }
      if (!endBlock()) {
        return damaged("a block's two lengths differ, or the file ends within");
      }
      if (isPacket) {
        return true;
      }
    }
    return input.gotNothing() ? false : damaged("the file ends within a block");
  }

  @Override
  public String damage() {
    return damage;
  }

  private boolean damaged(String what) {
    damage = what;
    return false;
  }

  /** Reads the section's byte order, which its length needs, and forgets the last section's interfaces. */
  private boolean beginSection() throws IOException {
    if (!input.read(2 * Integer.BYTES)) {
      return false;
    }
    input.order(ByteOrder.BIG_ENDIAN);
    if (input.header().getInt(Integer.BYTES) != BYTE_ORDER_MAGIC) {
      input.order(ByteOrder.LITTLE_ENDIAN);
      if (input.header().getInt(Integer.BYTES) != BYTE_ORDER_MAGIC) {
        return false;
      }
    }
    interfaces.clear();
    return takeLength(input.header().getInt(0)) && consume(Integer.BYTES);
  }

  private boolean beginBlock() throws IOException {
    return input.read(Integer.BYTES) && takeLength(input.header().getInt(0));
  }

  private boolean takeLength(int totalLength) {
    blockBytes = Integer.toUnsignedLong(totalLength);
    bodyBytes = blockBytes - BLOCK_OVERHEAD_BYTES;
    return bodyBytes >= 0 && (blockBytes & 3) == 0;
  }

  private boolean endBlock() throws IOException {
    return input.skip(bodyBytes)
        && input.read(Integer.BYTES)
        && Integer.toUnsignedLong(input.header().getInt(0)) == blockBytes;
  }

  private boolean consume(long bytes) {
    bodyBytes -= bytes;
    return bodyBytes >= 0;
  }

  private boolean readInterface() throws IOException {
    int bytes = (int) Math.min(bodyBytes, CaptureInput.HEADER_MAXIMUM_BYTES);
    if (bytes < INTERFACE_HEADER_BYTES || !consume(bytes) || !input.read(bytes)) {
      return false;
    }
    interfaces.add(CaptureInterface.read(input.header(), bytes));
    return true;
  }

  private boolean readPacket(int type, CaptureRecord record) throws IOException {
    boolean simple = type == SIMPLE_PACKET;
    int headerBytes = simple ? Integer.BYTES : PACKET_HEADER_BYTES;
    if (!consume(headerBytes) || !input.read(headerBytes)) {
      return false;
    }
    ByteBuffer header = input.header();
    int number = simple ? 0 : type == OBSOLETE_PACKET ? Short.toUnsignedInt(header.getShort(0)) : header.getInt(0);
    if (number < 0 || number >= interfaces.size()) {
      return false;
    }
    CaptureInterface from = interfaces.get(number);
    record.linkType = from.linkType();
    record.originalBytes = Integer.toUnsignedLong(header.getInt(simple ? 0 : 16));
    long ticks = simple ? 0 : Integer.toUnsignedLong(header.getInt(4)) << 32 | Integer.toUnsignedLong(header.getInt(8));
    record.timeNs = from.timeNs(ticks);
    long capturedBytes = simple ? from.captured(record.originalBytes) : Integer.toUnsignedLong(header.getInt(12));
    if (capturedBytes > CaptureRecord.MAXIMUM_BYTES || !consume(capturedBytes)) {
      return false;
    }
    record.capturedBytes = (int) capturedBytes;
    return input.read(record.data, record.capturedBytes);
  }
}
