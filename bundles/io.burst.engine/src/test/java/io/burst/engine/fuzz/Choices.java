package io.burst.engine.fuzz;

/** Reads a fuzz input as a row of decisions; when it is used up every further decision is 0. */
final class Choices {
  private final byte[] bytes;
  private int next;

  Choices(byte[] bytes) {
    this.bytes = bytes;
  }

  boolean isUsedUp() {
    return next >= bytes.length;
  }

  /** 0 to 255. */
  int octet() {
    return next < bytes.length ? bytes[next++] & 0xFF : 0;
  }

  int below(int bound) {
    return octet() % bound;
  }

  boolean oneIn(int count) {
    return octet() % count == count - 1;
  }

  int of(int... values) {
    return values[below(values.length)];
  }

  int bits24() {
    return octet() << 16 | octet() << 8 | octet();
  }
}
