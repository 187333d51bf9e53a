package io.burst.verbs;

/** ibv_qp_state. */
public enum QueuePairState {
  RESET,
  INIT,
  READY_TO_RECEIVE,
  READY_TO_SEND,
  /** A send of an unreliable service failed: sends are flushed, receives go on (SQE). */
  SEND_QUEUE_ERROR,
  ERROR
}
