package io.burst.linux;

/** Waits until one of a few descriptors is readable. Owned by one thread. */
public final class DescriptorSet implements AutoCloseable {

  private static final int POLLFD_BYTES = 8;
  private static final short POLLIN = 1;
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final int count;
  private final long timeout;
  private long descriptors;

  /** Negative descriptors are skipped. */
  public DescriptorSet(int... descriptors) {
    count = descriptors.length;
    long timespecBytes = 16;
    this.descriptors = Memory.allocate(timespecBytes + (long) count * POLLFD_BYTES);
    timeout = this.descriptors + (long) count * POLLFD_BYTES;
    for (int i = 0; i < count; i++) {
      Memory.putInt(this.descriptors + (long) i * POLLFD_BYTES, descriptors[i]);
      Memory.putShort(this.descriptors + (long) i * POLLFD_BYTES + 4, POLLIN);
    }
  }

  /**
   * Waits up to that long; 0 or less only looks.
   *
   * @return how many are readable or broken, 0 when the time is over or a signal came
   */
  public int await(long timeoutNs) {
    long boundedNs = Math.max(0, timeoutNs);
    Memory.putLong(timeout, boundedNs / NANOS_PER_SECOND);
    Memory.putLong(timeout + 8, boundedNs % NANOS_PER_SECOND);
    return Math.max(0, Libc.ppoll(descriptors, count, timeout, 0));
  }

  @Override
  public void close() {
    if (descriptors != 0) {
      Memory.free(descriptors);
      descriptors = 0;
    }
  }
}
