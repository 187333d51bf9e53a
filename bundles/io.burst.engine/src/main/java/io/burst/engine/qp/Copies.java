package io.burst.engine.qp;

import io.burst.linux.Memory;
import io.burst.spi.CopyEngine;
import io.burst.spi.CopyResult;
import io.burst.spi.Frame;
import io.burst.verbs.ScatterGatherList;

/**
 * The copies of received bytes that a {@link CopyEngine} has under way for one endpoint: whose they are, and which
 * frames they keep. Owned by its endpoint's thread.
 */
final class Copies {
  /** Copies at once, whatever is under way. */
  static final Placer NOW = Memory::copy;

  /** A datagram's header and the pieces of its receive. */
  private static final int MOST_PIECES = 2 * ScatterGatherList.CAPACITY;

  private final CopyEngine engine;
  private final FramePool spareFrames;
  private final CopyResult result = new CopyResult();
  private final Arrivals[] owner;
  private final long[] arrival;
  private final Frame[] frame;
  /** Counts up with each copy, so that one can wait for those that were there. */
  private final long[] order;
  private final int[] free;
  private int freeCount;
  private Frame current;
  private boolean enqueued;
  private long begun;

  Copies(CopyEngine engine, FramePool spareFrames) {
    this.engine = engine;
    this.spareFrames = spareFrames;
    int capacity = engine.capacity();
    owner = new Arrivals[capacity];
    arrival = new long[capacity];
    frame = new Frame[capacity];
    order = new long[capacity];
    free = new int[capacity];
    while (freeCount < capacity) {
      free[freeCount] = freeCount;
      freeCount++;
    }
  }

  /** What is copied from here on comes from this frame. */
  void from(Frame received) {
    current = received;
  }

  /** Whether a packet more may leave its bytes for later. */
  boolean hasRoom() {
    return freeCount >= MOST_PIECES && !spareFrames.isEmpty();
  }

  boolean isUnderWay() {
    return freeCount < free.length;
  }

  /** The number that the next copy will have. */
  long begun() {
    return begun;
  }

  /** Whether all copies with a lower number have ended. */
  boolean haveEnded(long before) {
    for (int slot = 0; slot < owner.length; slot++) {
      if (owner[slot] != null && order[slot] < before) {
        return false;
      }
    }
    return true;
  }

  /** Whether so few bytes are better copied at once. */
  boolean isSmall(int bytes) {
    return bytes < engine.smallestBytes();
  }

  /**
   * Leaves a copy to the engine.
   *
   * @param owner told when it has ended
   * @param arrival the owner's number for it
   */
  void later(Arrivals owner, long arrival, long from, long to, int bytes, boolean fenced) {
    int slot = free[--freeCount];
    this.owner[slot] = owner;
    this.arrival[slot] = arrival;
    frame[slot] = hold();
    order[slot] = begun++;
    engine.enqueue(from, to, bytes, fenced, slot);
    enqueued = true;
  }

  /** Keeps the frame at hand until it is released. */
  Frame hold() {
    current.hold();
    return current;
  }

  void release(Frame held) {
    if (held.release()) {
      spareFrames.put(held);
    }
  }

  /** Starts what was left to the engine, and tells the owners of what has ended. */
  void poll() {
    if (enqueued) {
      enqueued = false;
      engine.submit();
    }
    while (isUnderWay() && engine.poll(result)) {
      end((int) result.ticket, result.failed);
    }
  }

  private void end(int slot, boolean failed) {
    Arrivals owner = this.owner[slot];
    this.owner[slot] = null;
    free[freeCount++] = slot;
    release(frame[slot]);
    frame[slot] = null;
    owner.onCopied(arrival[slot], failed);
  }
}
