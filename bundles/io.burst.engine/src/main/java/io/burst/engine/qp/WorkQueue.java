package io.burst.engine.qp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The work requests of one send or receive queue: a ring with one thread that posts and one (the owner of the queue
 * pair) that executes and frees. Requests are known by their sequence number, which counts up from 0.
 */
public final class WorkQueue {
  private static final VarHandle POSTED;
  private static final VarHandle FREED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      POSTED = lookup.findVarHandle(WorkQueue.class, "posted", long.class);
      FREED = lookup.findVarHandle(WorkQueue.class, "freed", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int depth;
  private final int mask;
  private final long[] workRequestId;
  private final long[] address;
  private final long[] lengthBytes;
  private final int[] localKey;

  private long posted;
  private long freed;

  /** @param depth requests that may be outstanding, 1 or more */
  public WorkQueue(int depth) {
    this.depth = depth;
    int slots = Integer.highestOneBit(Math.max(1, depth - 1)) << 1;
    mask = slots - 1;
    workRequestId = new long[slots];
    address = new long[slots];
    lengthBytes = new long[slots];
    localKey = new int[slots];
  }

  /**
   * For the posting thread.
   *
   * @return false when the queue is full
   */
  public boolean post(long workRequestId, long address, long lengthBytes, int localKey) {
    long sequence = posted;
    if (sequence - (long) FREED.getAcquire(this) >= depth) {
      return false;
    }
    int slot = slot(sequence);
    this.workRequestId[slot] = workRequestId;
    this.address[slot] = address;
    this.lengthBytes[slot] = lengthBytes;
    this.localKey[slot] = localKey;
    POSTED.setRelease(this, sequence + 1);
    return true;
  }

  /** The sequence number that the next posted request will have: those below are there. */
  long posted() {
    return (long) POSTED.getAcquire(this);
  }

  /** The oldest request that hasn't been freed, if it was posted. */
  long oldest() {
    return freed;
  }

  /** Requests posted and not freed; for any thread, a moment's view. */
  public int outstanding() {
    return (int) ((long) POSTED.getAcquire(this) - (long) FREED.getAcquire(this));
  }

  /** Gives the oldest request's slot back to the posting thread. */
  void freeOldest() {
    FREED.setRelease(this, freed + 1);
  }

  int slots() {
    return mask + 1;
  }

  int slot(long sequence) {
    return (int) sequence & mask;
  }

  long workRequestId(long sequence) {
    return workRequestId[slot(sequence)];
  }

  long address(long sequence) {
    return address[slot(sequence)];
  }

  long lengthBytes(long sequence) {
    return lengthBytes[slot(sequence)];
  }

  int localKey(long sequence) {
    return localKey[slot(sequence)];
  }
}
