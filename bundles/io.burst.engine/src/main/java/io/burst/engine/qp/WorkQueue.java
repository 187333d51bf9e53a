package io.burst.engine.qp;

import io.burst.verbs.ScatterGatherList;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The work requests of one send or receive queue: a ring with one thread that posts and one (the owner of the queue
 * pair) that executes and frees. Requests are known by their sequence number, which counts up from 0.
 */
public class WorkQueue {
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
  private final MessageBuffers buffers;

  private long posted;
  private long freed;

  /** @param depth requests that may be outstanding, 1 or more */
  public WorkQueue(int depth) {
    this.depth = depth;
    int slots = Integer.highestOneBit(Math.max(1, depth - 1)) << 1;
    mask = slots - 1;
    workRequestId = new long[slots];
    buffers = new MessageBuffers(slots);
  }

  /**
   * For the posting thread.
   *
   * @return false when the queue is full
   */
  public final boolean post(long workRequestId, ScatterGatherList list) {
    if (isFull()) {
      return false;
    }
    fill(workRequestId, list);
    publish();
    return true;
  }

  final boolean isFull() {
    return posted - (long) FREED.getAcquire(this) >= depth;
  }

  /** Writes the next request, which nobody sees before {@link #publish}; returns its slot. */
  final int fill(long workRequestId, ScatterGatherList list) {
    int slot = slot(posted);
    this.workRequestId[slot] = workRequestId;
    buffers.set(slot, list);
    return slot;
  }

  /** The same for a request whose bytes were copied to a place of the queue's own. */
  final int fillInline(long workRequestId, long place, int bytes) {
    int slot = slot(posted);
    this.workRequestId[slot] = workRequestId;
    buffers.setInline(slot, place, bytes);
    return slot;
  }

  /** The slot that the next request will have. */
  final int nextSlot() {
    return slot(posted);
  }

  final void publish() {
    POSTED.setRelease(this, posted + 1);
  }

  /** The sequence number that the next posted request will have: those below are there. */
  final long posted() {
    return (long) POSTED.getAcquire(this);
  }

  /** The oldest request that hasn't been freed, if it was posted. */
  final long oldest() {
    return freed;
  }

  final boolean isEmpty() {
    return freed == posted();
  }

  /** Requests posted and not freed; for any thread, a moment's view. */
  public final int outstanding() {
    return (int) ((long) POSTED.getAcquire(this) - (long) FREED.getAcquire(this));
  }

  /** Gives the oldest request's slot back to the posting thread. */
  final void freeOldest() {
    FREED.setRelease(this, freed + 1);
  }

  /** Forgets all that was posted. */
  final void discard() {
    FREED.setRelease(this, posted());
  }

  final int slots() {
    return mask + 1;
  }

  final int slot(long sequence) {
    return (int) sequence & mask;
  }

  final long workRequestId(long sequence) {
    return workRequestId[slot(sequence)];
  }

  final long totalBytes(long sequence) {
    return buffers.totalBytes(slot(sequence));
  }

  /** Finds the request's memory, which {@link #gather} and {@link #scatter} need; false when it isn't all allowed. */
  final boolean locate(long sequence, QueuePairContext queuePair, int access) {
    return buffers.locate(slot(sequence), queuePair, access);
  }

  final void copyBuffers(long sequence, MessageBuffers to, int toSlot) {
    to.copy(toSlot, buffers, slot(sequence));
  }

  final void gather(long sequence, long offset, long to, int bytes) {
    buffers.gather(slot(sequence), offset, to, bytes);
  }

  final void scatter(long sequence, long offset, long from, int bytes, Placer placer) {
    buffers.scatter(slot(sequence), offset, from, bytes, placer);
  }
}
