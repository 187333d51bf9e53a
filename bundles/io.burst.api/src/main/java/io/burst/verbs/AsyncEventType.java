package io.burst.verbs;

/** ibv_event_type. */
public enum AsyncEventType {
  /** The first packet of the peer came before the queue pair was ready to send (IBV_EVENT_COMM_EST). */
  COMMUNICATION_ESTABLISHED,
  /** What had begun when the queue pair was told to drain is done (IBV_EVENT_SQ_DRAINED). */
  SEND_QUEUE_DRAINED,
  /** A queue pair in ERR takes nothing from its shared receives any more (IBV_EVENT_QP_LAST_WQE_REACHED). */
  LAST_RECEIVE_REACHED,
  /** Fewer receives are left than the shared queue's limit, which is 0 now (IBV_EVENT_SRQ_LIMIT_REACHED). */
  SHARED_RECEIVE_QUEUE_LIMIT,
  /** The queue pair went to ERR for a fault that no completion tells of (IBV_EVENT_QP_FATAL). */
  QUEUE_PAIR_FATAL,
  /** The peer asked for something that can't be, and the queue pair went to ERR (IBV_EVENT_QP_REQ_ERR). */
  QUEUE_PAIR_REQUEST_ERROR,
  /** The peer asked for memory that it may not use, and the queue pair went to ERR (IBV_EVENT_QP_ACCESS_ERR). */
  QUEUE_PAIR_ACCESS_ERROR,
  /** More completions came than fit (IBV_EVENT_CQ_ERR). */
  COMPLETION_QUEUE_ERROR
}
