package io.burst.engine.qp;

import io.burst.verbs.AsyncEventType;

/** Takes the asynchronous events of one resource, on the thread that owns it; must not block. */
@FunctionalInterface
public interface EventSink {
  /** Where nobody listens. */
  EventSink NONE = type -> {};

  void raise(AsyncEventType type);
}
