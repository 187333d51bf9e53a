package io.burst.verbs;

/**
 * The pieces of registered memory that a message is gathered from or scattered to, in order (ibv_sge list). Mutable and
 * reused, so that posting allocates nothing. Belongs to one thread.
 */
public final class ScatterGatherList {

  /** Pieces that fit (max_sge). */
  public static final int CAPACITY = 16;

  private final long[] address = new long[CAPACITY];
  private final long[] lengthBytes = new long[CAPACITY];
  private final int[] localKey = new int[CAPACITY];
  private int count;

  public ScatterGatherList clear() {
    count = 0;
    return this;
  }

  /**
   * Appends a piece.
   *
   * @param lengthBytes 0 or more; a piece of no bytes may have any address and key
   * @throws IllegalArgumentException when {@link #CAPACITY} pieces are there, or the length is negative
   */
  public ScatterGatherList add(long address, long lengthBytes, int localKey) {
    if (count == CAPACITY) {
      throw new IllegalArgumentException("a request takes " + CAPACITY + " pieces of memory at most");
    }
    if (lengthBytes < 0) {
      throw new IllegalArgumentException("a piece of memory of " + lengthBytes + " bytes");
    }
    this.address[count] = address;
    this.lengthBytes[count] = lengthBytes;
    this.localKey[count] = localKey;
    count++;
    return this;
  }

  public int count() {
    return count;
  }

  public long address(int index) {
    return address[index];
  }

  public long lengthBytes(int index) {
    return lengthBytes[index];
  }

  public int localKey(int index) {
    return localKey[index];
  }

  /** Of all pieces together. */
  public long totalBytes() {
    long total = 0;
    for (int i = 0; i < count; i++) {
      total += lengthBytes[i];
    }
    return total;
  }
}
