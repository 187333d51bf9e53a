package io.burst.verbs;

/**
 * What a queue pair is made of (ibv_qp_init_attr).
 *
 * @param type its service (qp_type)
 * @param sendCompletions where sends complete (send_cq)
 * @param receiveCompletions where receives complete (recv_cq); may be the same
 * @param sendDepth sends that may be outstanding (max_send_wr), 1 or more
 * @param receiveDepth receives that may be outstanding (max_recv_wr), 1 or more; no matter with shared receives
 * @param sharedReceives takes the place of a receive queue of its own, or null (srq)
 * @param maxInlineBytes the longest {@link SendRequest#inline} request, 0 to 1024 (max_inline_data)
 */
public record QueuePairInit(
    QueuePairType type,
    CompletionQueue sendCompletions,
    CompletionQueue receiveCompletions,
    int sendDepth,
    int receiveDepth,
    SharedReceiveQueue sharedReceives,
    int maxInlineBytes) {

  /** With receives of its own and nothing inline. */
  public QueuePairInit(
      QueuePairType type,
      CompletionQueue sendCompletions,
      CompletionQueue receiveCompletions,
      int sendDepth,
      int receiveDepth) {
    this(type, sendCompletions, receiveCompletions, sendDepth, receiveDepth, null, 0);
  }
}
