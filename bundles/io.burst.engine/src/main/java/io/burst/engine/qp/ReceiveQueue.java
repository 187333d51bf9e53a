package io.burst.engine.qp;

/** The receives of one queue pair. */
public class ReceiveQueue extends WorkQueue {

  /** @param depth requests that may be outstanding, 1 or more */
  public ReceiveQueue(int depth) {
    super(depth);
  }

  /** Whether other queue pairs take from it too: then nobody flushes it. */
  boolean isShared() {
    return false;
  }

  /** A message took the oldest one. */
  void take() {
    freeOldest();
  }
}
