package io.burst.admin;

/**
 * A queue pair at one moment.
 *
 * @param number its own 24-bit number
 * @param state as in {@code rdma resource show qp}: RESET, INIT, RTR, RTS, ERR
 * @param remoteGid the peer's GID, or "-" before RTR
 * @param remoteNumber the peer's queue pair, 0 before RTR
 * @param sendPsn the next PSN to send
 * @param receivePsn the next PSN expected
 * @param outstanding sends that were posted and haven't completed
 */
public record QueuePairView(
    int number, String state, String remoteGid, int remoteNumber, int sendPsn, int receivePsn, int outstanding) {}
