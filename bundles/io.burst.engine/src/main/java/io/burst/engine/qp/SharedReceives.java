package io.burst.engine.qp;

import io.burst.verbs.AsyncEventType;

/** The receives of several queue pairs, all of one endpoint (IBTA volume 1, 10.2.9). */
public final class SharedReceives extends ReceiveQueue {
  private final EventSink events;
  private int limit;

  /** @param depth requests that may be outstanding, 1 or more */
  public SharedReceives(int depth, EventSink events) {
    super(depth);
    this.events = events;
  }

  /** Arms the limit event, which comes once; 0 for none. For the thread that owns the queue pairs. */
  public void setLimit(int limit) {
    this.limit = limit;
  }

  @Override
  boolean isShared() {
    return true;
  }

  @Override
  void take() {
    super.take();
    if (outstanding() < limit) {
      limit = 0;
      events.raise(AsyncEventType.SHARED_RECEIVE_QUEUE_LIMIT);
    }
  }
}
