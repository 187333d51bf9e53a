package io.burst.engine.sim.model;

import io.burst.verbs.AsyncEventType;
import io.burst.verbs.CompletionStatus;

/**
 * What comes of a request: how it completes; whether the other end refuses it, which ends that queue pair too; and how
 * the receive that it has taken completes there, null when it has taken none.
 */
enum Outcome {
  DONE(CompletionStatus.SUCCESS, false, null),
  /** Its own memory isn't what its keys allow: it is never sent. */
  OWN_MEMORY(CompletionStatus.LOCAL_PROTECTION_ERROR, false, null),
  /** A binding that isn't allowed. */
  NOT_BOUND(CompletionStatus.MEMORY_WINDOW_BIND_ERROR, false, null),
  /** What it is to take away at its own end isn't a window there. */
  NOT_INVALIDATED(CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR, false, null),
  /** The memory that it names isn't what the key allows. */
  NO_ACCESS(CompletionStatus.REMOTE_ACCESS_ERROR, true, null),
  /** It can't be, or the other queue pair doesn't allow it. */
  INVALID(CompletionStatus.REMOTE_INVALID_REQUEST, true, null),
  /** What it is to take away at the other end isn't a window there. */
  NOT_A_WINDOW(CompletionStatus.REMOTE_ACCESS_ERROR, true, CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR),
  /** It is longer than its receive. */
  TOO_LONG(CompletionStatus.REMOTE_INVALID_REQUEST, true, CompletionStatus.LOCAL_LENGTH_ERROR),
  /** The memory of its receive isn't what its keys allow. */
  BAD_RECEIVE(CompletionStatus.REMOTE_OPERATION_ERROR, true, CompletionStatus.LOCAL_PROTECTION_ERROR);

  final CompletionStatus atAsker;
  final boolean isRefused;
  final CompletionStatus atAnswerer;

  Outcome(CompletionStatus atAsker, boolean isRefused, CompletionStatus atAnswerer) {
    this.atAsker = atAsker;
    this.isRefused = isRefused;
    this.atAnswerer = atAnswerer;
  }

  /** What the other end is told besides. */
  AsyncEventType event() {
    return switch (atAsker) {
      case REMOTE_ACCESS_ERROR -> AsyncEventType.QUEUE_PAIR_ACCESS_ERROR;
      case REMOTE_INVALID_REQUEST -> AsyncEventType.QUEUE_PAIR_REQUEST_ERROR;
      default -> AsyncEventType.QUEUE_PAIR_FATAL;
    };
  }
}
