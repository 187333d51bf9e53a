package io.burst.engine.wire;

import java.nio.ByteBuffer;

/**
 * Base transport header (IBTA volume 1, 9.2), in every packet.
 *
 * <pre>
 *  0  opcode (8) | solicited (1), migration request (1), pad count (2), transport version (4) = 0 | partition key (16)
 *  4  FECN (1), BECN (1), reserved (6) | destination queue pair (24)
 *  8  acknowledge request (1), reserved (7) | packet sequence number (24)
 * </pre>
 *
 * Byte 4 is the only part that the ICRC takes as ones, because switches may change it.
 */
final class Bth {
  static final int BYTES = 12;
  /** Offset of the byte with FECN and BECN. */
  static final int CONGESTION = 4;
  static final int SOLICITED = 0x80;
  static final int MIGRATION_REQUEST = 0x40;
  static final int FECN = 0x80;
  static final int BECN = 0x40;
  static final int ACKNOWLEDGE_REQUEST = 0x80;

  private static final int FLAGS = 1;
  private static final int PARTITION_KEY = 2;
  private static final int CONGESTION_AND_QUEUE_PAIR = 4;
  private static final int ACKNOWLEDGE_AND_PSN = 8;
  private static final int PAD_SHIFT = 4;
  private static final int PAD_MASK = 3;
  private static final int VERSION_MASK = 0x0F;

  private Bth() {}

  /** Writes the whole header, all flags but those given clear. */
  static void write(ByteBuffer buffer, int offset, int opcode, int flags, int partitionKey, int queuePair, int psn) {
    buffer.putInt(offset, opcode << 24 | flags << 16 | partitionKey & 0xFFFF);
    buffer.putInt(offset + CONGESTION_AND_QUEUE_PAIR, queuePair & 0xFF_FFFF);
    buffer.putInt(offset + ACKNOWLEDGE_AND_PSN, psn & Psn.MASK);
  }

  static int opcode(ByteBuffer buffer, int offset) {
    return Byte.toUnsignedInt(buffer.get(offset));
  }

  static int transportVersion(ByteBuffer buffer, int offset) {
    return buffer.get(offset + FLAGS) & VERSION_MASK;
  }

  static boolean solicited(ByteBuffer buffer, int offset) {
    return (buffer.get(offset + FLAGS) & SOLICITED) != 0;
  }

  static boolean migrationRequested(ByteBuffer buffer, int offset) {
    return (buffer.get(offset + FLAGS) & MIGRATION_REQUEST) != 0;
  }

  static int padBytes(ByteBuffer buffer, int offset) {
    return buffer.get(offset + FLAGS) >> PAD_SHIFT & PAD_MASK;
  }

  static int partitionKey(ByteBuffer buffer, int offset) {
    return Short.toUnsignedInt(buffer.getShort(offset + PARTITION_KEY));
  }

  static void partitionKey(ByteBuffer buffer, int offset, int partitionKey) {
    buffer.putShort(offset + PARTITION_KEY, (short) partitionKey);
  }

  static boolean fecn(ByteBuffer buffer, int offset) {
    return (buffer.get(offset + CONGESTION) & FECN) != 0;
  }

  static boolean becn(ByteBuffer buffer, int offset) {
    return (buffer.get(offset + CONGESTION) & BECN) != 0;
  }

  static int queuePair(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset + CONGESTION_AND_QUEUE_PAIR) & 0xFF_FFFF;
  }

  static boolean ackRequested(ByteBuffer buffer, int offset) {
    return (buffer.get(offset + ACKNOWLEDGE_AND_PSN) & ACKNOWLEDGE_REQUEST) != 0;
  }

  static int psn(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset + ACKNOWLEDGE_AND_PSN) & Psn.MASK;
  }

  static void solicited(ByteBuffer buffer, int offset, boolean on) {
    flag(buffer, offset + FLAGS, SOLICITED, on);
  }

  static void migrationRequested(ByteBuffer buffer, int offset, boolean on) {
    flag(buffer, offset + FLAGS, MIGRATION_REQUEST, on);
  }

  static void fecn(ByteBuffer buffer, int offset, boolean on) {
    flag(buffer, offset + CONGESTION, FECN, on);
  }

  static void becn(ByteBuffer buffer, int offset, boolean on) {
    flag(buffer, offset + CONGESTION, BECN, on);
  }

  static void ackRequested(ByteBuffer buffer, int offset, boolean on) {
    flag(buffer, offset + ACKNOWLEDGE_AND_PSN, ACKNOWLEDGE_REQUEST, on);
  }

  static void padBytes(ByteBuffer buffer, int offset, int padBytes) {
    int others = buffer.get(offset + FLAGS) & ~(PAD_MASK << PAD_SHIFT);
    buffer.put(offset + FLAGS, (byte) (others | padBytes << PAD_SHIFT));
  }

  private static void flag(ByteBuffer buffer, int index, int bit, boolean on) {
    int others = buffer.get(index) & ~bit;
    buffer.put(index, (byte) (on ? others | bit : others));
  }
}
