package io.burst.engine.wire;

import java.nio.ByteBuffer;

/**
 * Acknowledge extended transport header (IBTA volume 1, 9.3.5; syndromes 9.7.5.1.1 and table "AETH Syndrome Field").
 *
 * <pre>
 *  0  reserved (1), kind (2), value (5) | message sequence number (24)
 * </pre>
 *
 * The kinds: 0 ACK, the value being coded credits; 1 RNR NAK with a timer code; 3 NAK with a NAK code.
 */
public final class Aeth {
  /** ACK without end-to-end credits, which is what BURST sends. */
  public static final int ACK = 0x1F;
  public static final int NAK_SEQUENCE_ERROR = 0x60;
  public static final int NAK_INVALID_REQUEST = 0x61;
  public static final int NAK_REMOTE_ACCESS_ERROR = 0x62;
  public static final int NAK_REMOTE_OPERATIONAL_ERROR = 0x63;

  static final int BYTES = 4;

  private static final int KIND_MASK = 0xE0;
  private static final int RNR_NAK_KIND = 0x20;
  private static final int NAK_KIND = 0x60;
  private static final int VALUE_MASK = 0x1F;
  private static final int MSN_MASK = 0xFF_FFFF;

  /** IBTA volume 1, table "Encoding for RNR NAK timer field"; code 0 is the longest. */
  private static final int[] RNR_TIMER_MICROSECONDS = {
    655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920, 2560, 3840, 5120, 7680, 10240, 15360,
    20480, 30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520
  };

  private Aeth() {}

  /** True for an ACK, whatever credits it carries. */
  public static boolean isAck(int syndrome) {
    return (syndrome & KIND_MASK) == 0;
  }

  /** True for a receiver-not-ready NAK, whatever its timer. */
  public static boolean isRnrNak(int syndrome) {
    return (syndrome & KIND_MASK) == RNR_NAK_KIND;
  }

  /** True for a NAK that isn't receiver-not-ready. */
  public static boolean isNak(int syndrome) {
    return (syndrome & KIND_MASK) == NAK_KIND;
  }

  /** The syndrome of a receiver-not-ready NAK with this timer code, 0 to 31. */
  public static int rnrNak(int timerCode) {
    return RNR_NAK_KIND | timerCode & VALUE_MASK;
  }

  /** How long the requester has to wait, from an RNR NAK's syndrome or from a bare timer code. */
  public static long rnrTimerNs(int syndromeOrCode) {
    return RNR_TIMER_MICROSECONDS[syndromeOrCode & VALUE_MASK] * 1000L;
  }

  static void write(ByteBuffer buffer, int offset, int syndrome, int msn) {
    buffer.putInt(offset, syndrome << 24 | msn & MSN_MASK);
  }

  static int syndrome(ByteBuffer buffer, int offset) {
    return Byte.toUnsignedInt(buffer.get(offset));
  }

  static int msn(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset) & MSN_MASK;
  }
}
