package io.burst.engine.sim;

/** How a connection is to end before its work is done, if it is. */
enum Doom {
  NONE,
  /** A range that leaves its region by one byte. */
  BEYOND_REGION,
  /** A range that goes on behind the last address there is. */
  WRAPPED_RANGE,
  UNKNOWN_KEY,
  /** The key of a region that was deregistered. */
  STALE_KEY,
  /** A region that doesn't allow the operation. */
  REGION_FORBIDS,
  /** A queue pair that doesn't allow the operation. */
  QUEUE_PAIR_FORBIDS,
  /** A region of another protection domain. */
  OTHER_DOMAIN,
  MISALIGNED,
  /** A SEND that is longer than its receive. */
  TOO_LONG,
  /** A local key that isn't one. */
  LOCAL_KEY,
  /** Something to be brought into a region that may only be read. */
  LOCAL_READ_ONLY,
  /** The key of a memory window that was taken away. */
  STALE_WINDOW,
  /** The key of a memory window of another queue pair. */
  OTHER_WINDOW,
  /** Outside of a memory window, inside of its region. */
  BEYOND_WINDOW,
  /** A SEND that is to take away what isn't a window. */
  NOT_A_WINDOW,
  /** A binding that isn't allowed. */
  WRONG_BINDING,
  /** What is to be taken away at the own end isn't a window. */
  WRONG_INVALIDATION,
  /** Receives whose key isn't one. */
  RECEIVE_KEY,
  /** Receives in memory that may only be read. */
  RECEIVE_READ_ONLY,
  /** No receives until the asker gives up. */
  NO_RECEIVES,
  /** The other end's queue pair is destroyed. */
  PEER_GONE,
  /** An application gives up. */
  APPLICATION;

  /** Whether it needs receives of the queue pair's own, or ends with the queue pair holding one. */
  boolean needsOwnReceives() {
    return isBadReceive() || this == PEER_GONE;
  }

  /** Whether a receive is wrong, or never comes. */
  boolean isBadReceive() {
    return this == RECEIVE_KEY || this == RECEIVE_READ_ONLY || this == NO_RECEIVES;
  }

  /** Whether it is one wrong request that does it. */
  boolean isRequest() {
    return switch (this) {
      case NONE, RECEIVE_KEY, RECEIVE_READ_ONLY, NO_RECEIVES, PEER_GONE, APPLICATION -> false;
      default -> true;
    };
  }
}
