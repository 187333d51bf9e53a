package io.burst.verbs;

/**
 * Attributes of the step to RTS (ibv_qp_attr).
 *
 * @param sendPsn our first PSN, masked to 24 bit (sq_psn)
 * @param timeout code 0 to 31 of the local ACK timeout: 4.096 us * 2^code, 0 for none (timeout)
 * @param retryCount 0 to 7 retries of what wasn't acknowledged (retry_cnt)
 * @param rnrRetryCount 0 to 6 retries of what found no receive, 7 for ever (rnr_retry)
 * @param maxReadAtomic READs and atomics that may be under way at once, 0 to 16: no more than the peer's
 *     {@link ReadyToReceive#maxDestinationReadAtomic} (max_rd_atomic)
 */
public record ReadyToSend(int sendPsn, int timeout, int retryCount, int rnrRetryCount, int maxReadAtomic) {}
