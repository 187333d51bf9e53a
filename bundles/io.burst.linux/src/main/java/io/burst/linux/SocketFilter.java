package io.burst.linux;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A classic BPF program (linux/filter.h), one long an instruction. Immutable. */
public final class SocketFilter {

  public static final int LOAD_WORD = 0x20;
  public static final int LOAD_HALF = 0x28;
  public static final int LOAD_BYTE = 0x30;
  /** At X + k. */
  public static final int LOAD_HALF_INDEXED = 0x48;
  /** X = 4 * (byte k &amp; 0xf): the length of an IPv4 header. */
  public static final int LOAD_X_HEADER_LENGTH = 0xb1;
  public static final int JUMP_EQUAL = 0x15;
  public static final int JUMP_ANY_BIT = 0x45;
  public static final int RETURN = 0x06;

  /** SKF_AD_OFF: loads from here on are of what the kernel knows besides the bytes. */
  private static final int ANCILLARY = 0xfffff000;
  public static final int PACKET_TYPE = ANCILLARY + 4;
  public static final int VLAN_TAG = ANCILLARY + 44;
  public static final int VLAN_TAG_PRESENT = ANCILLARY + 48;

  private static final int INSTRUCTION_BYTES = 8;

  private final long[] instructions;

  public SocketFilter(long... instructions) {
    this.instructions = instructions.clone();
  }

  /** A socket with this one receives nothing. */
  public static SocketFilter dropAll() {
    return new SocketFilter(statement(RETURN, 0));
  }

  public static long statement(int code, int operand) {
    return jump(code, operand, 0, 0);
  }

  /** The two targets count the instructions that are skipped. */
  public static long jump(int code, int operand, int ifTrue, int ifFalse) {
    ByteBuffer bytes = ByteBuffer.allocate(INSTRUCTION_BYTES).order(ByteOrder.nativeOrder());
    bytes.putShort((short) code).put((byte) ifTrue).put((byte) ifFalse).putInt(operand);
    return bytes.getLong(0);
  }

  int count() {
    return instructions.length;
  }

  int sizeBytes() {
    return instructions.length * INSTRUCTION_BYTES;
  }

  void write(long address) {
    for (int i = 0; i < instructions.length; i++) {
      Memory.putLong(address + (long) i * INSTRUCTION_BYTES, instructions[i]);
    }
  }
}
