package io.burst.engine.wire;

/** Where a packet stands in its message. ONLY is first and last at once. */
public enum Position {
  FIRST,
  MIDDLE,
  LAST,
  ONLY
}
