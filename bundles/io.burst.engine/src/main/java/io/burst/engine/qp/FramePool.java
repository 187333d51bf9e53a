package io.burst.engine.qp;

import io.burst.spi.Frame;

/** Frames that take the place of those whose bytes are still to be copied. Owned by one worker's thread. */
public final class FramePool {
  private final Frame[] frames;
  private int count;

  /** @param frames of the size that the port receives */
  public FramePool(Frame[] frames) {
    this.frames = frames.clone();
    count = frames.length;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** A frame for one that is held; there is one unless the pool {@link #isEmpty} when the hold is asked for. */
  public Frame take() {
    return frames[--count];
  }

  void put(Frame frame) {
    frames[count++] = frame;
  }
}
