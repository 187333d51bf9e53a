package io.burst.verbs;

/** ibv_qp_state. */
public enum QueuePairState {
  RESET,
  INIT,
  READY_TO_RECEIVE,
  READY_TO_SEND,
  /** Sends that had begun are finished, no other is begun, receives go on (SQD). */
  SEND_QUEUE_DRAINED,
  /** A send of an unreliable service failed: sends are flushed, receives go on (SQE). */
  SEND_QUEUE_ERROR,
  ERROR
}
