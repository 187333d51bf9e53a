package io.burst.verbs;

/**
 * Attributes of the step to RTR (ibv_qp_attr).
 *
 * @param destinationNumber the peer's queue pair, 24 bit (dest_qp_num)
 * @param receivePsn the peer's first PSN, masked to 24 bit (rq_psn)
 * @param pathMtu payload bytes of a full packet (path_mtu)
 * @param address where the peer is (ah_attr)
 * @param maxDestinationReadAtomic READs and atomics of the peer that may be under way at once, 0 to 16
 *     (max_dest_rd_atomic)
 * @param minRnrTimer code 0 to 31 of the delay that an RNR NAK asks for (min_rnr_timer)
 */
public record ReadyToReceive(
    int destinationNumber,
    int receivePsn,
    PathMtu pathMtu,
    AddressVector address,
    int maxDestinationReadAtomic,
    int minRnrTimer) {}
