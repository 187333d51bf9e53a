package io.burst.engine.qp;

import io.burst.verbs.AccessFlag;

/**
 * The receive that a queue pair's next or half-arrived message goes to, once one was taken from the queue. A message
 * that breaks off leaves it to the next. Owned by its queue pair's thread.
 */
final class CurrentReceive {
  private static final int LOCAL_WRITE = Region.bit(AccessFlag.LOCAL_WRITE);
  private static final int SLOT = 0;

  private final QueuePairContext queuePair;
  private final ReceiveQueue queue;
  private final MessageBuffers buffers = new MessageBuffers(1);
  private long workRequestId;
  private boolean held;

  CurrentReceive(QueuePairContext queuePair, ReceiveQueue queue) {
    this.queuePair = queuePair;
    this.queue = queue;
  }

  boolean isHeld() {
    return held;
  }

  /** Takes one from the queue unless one is held; false when there is none. */
  boolean hold() {
    if (!held && !queue.isEmpty()) {
      long oldest = queue.oldest();
      workRequestId = queue.workRequestId(oldest);
      queue.copyBuffers(oldest, buffers, SLOT);
      held = true;
      queue.take();
    }
    return held;
  }

  /** Gives it up; its work request's identifier. */
  long release() {
    held = false;
    return workRequestId;
  }

  long roomBytes() {
    return buffers.totalBytes(SLOT);
  }

  /** Finds its memory, which {@link #scatter} needs; false when it isn't all writable. */
  boolean locate() {
    return buffers.locate(SLOT, queuePair, LOCAL_WRITE);
  }

  /** Lets part of a message arrive. */
  void scatter(long offset, long from, int bytes) {
    buffers.scatter(SLOT, offset, from, bytes, queuePair.arrivals());
  }
}
