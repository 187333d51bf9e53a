package io.burst.engine.qp;

/** What came of a packet of a SEND or WRITE at its responder. */
enum Placement {
  /** Its bytes are in place, and if it ended a message that takes a receive, that is completed. */
  DONE,
  /** Out of order within its message, of a length that can't be, or an operation that the queue pair doesn't allow. */
  INVALID_REQUEST,
  NO_RECEIVE,
  RECEIVE_TOO_SHORT,
  /** The receive's own memory isn't registered for it. */
  RECEIVE_NOT_WRITABLE,
  /** The memory window that a SEND is to take away isn't one, or isn't this queue pair's. */
  NOT_A_WINDOW,
  /** The memory that a WRITE names doesn't allow it. */
  ACCESS_DENIED
}
