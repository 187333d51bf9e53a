package io.burst.engine.wire;

/** Arithmetic of 24-bit packet sequence numbers (IBTA volume 1, 9.7.1), ordered modulo 2^24; results are masked. */
public final class Psn {
  public static final int MASK = 0xFF_FFFF;

  private Psn() {}

  public static int mask(int psn) {
    return psn & MASK;
  }

  /** The number that comes {@code count} packets after; a negative count goes back. */
  public static int add(int psn, int count) {
    return psn + count & MASK;
  }

  /** Negative, zero or positive as {@code a} comes before, is, or comes after {@code b}, less than 2^23 apart. */
  public static int compare(int a, int b) {
    return (a - b) << 8 >> 8;
  }

  /** How many steps lead forward from one to the other: 0 to 2^24 - 1. */
  public static int distance(int from, int to) {
    return to - from & MASK;
  }
}
