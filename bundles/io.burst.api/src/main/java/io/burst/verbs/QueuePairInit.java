package io.burst.verbs;

/**
 * What a queue pair is made of (ibv_qp_init_attr).
 *
 * @param type its service (qp_type)
 * @param sendCompletions where sends complete (send_cq)
 * @param receiveCompletions where receives complete (recv_cq); may be the same
 * @param sendDepth sends that may be outstanding (max_send_wr), 1 or more
 * @param receiveDepth receives that may be outstanding (max_recv_wr), 1 or more
 */
public record QueuePairInit(
    QueuePairType type,
    CompletionQueue sendCompletions,
    CompletionQueue receiveCompletions,
    int sendDepth,
    int receiveDepth) {}
