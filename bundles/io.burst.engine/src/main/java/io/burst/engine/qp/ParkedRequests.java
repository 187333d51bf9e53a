package io.burst.engine.qp;

import io.burst.spi.Frame;

/**
 * Requests that came while what they depend on wasn't in place: they are taken later, in their order. Owned by its queue
 * pair's thread.
 */
final class ParkedRequests {
  private static final int MOST = 64;

  private final Copies copies;
  private Frame[] frames;
  private int first;
  private int count;

  ParkedRequests(Copies copies) {
    this.copies = copies;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Keeps the frame at hand; false when there is no room. */
  boolean add() {
    if (count == MOST || !copies.hasRoom()) {
      return false;
    }
    if (frames == null) {
      frames = new Frame[MOST];
    }
    frames[(first + count++) % MOST] = copies.hold();
    return true;
  }

  Frame oldest() {
    return frames[first];
  }

  void removeOldest() {
    Frame frame = frames[first];
    frames[first] = null;
    first = (first + 1) % MOST;
    count--;
    copies.release(frame);
  }

  void clear() {
    while (!isEmpty()) {
      removeOldest();
    }
  }
}
