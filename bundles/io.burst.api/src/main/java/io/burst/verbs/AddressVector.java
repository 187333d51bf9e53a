package io.burst.verbs;

/**
 * The way to a peer (ibv_ah_attr with its ibv_global_route).
 *
 * @param destination the peer's GID (dgid)
 * @param sourceGidIndex which of {@link Device#gids()} to send from (sgid_index)
 * @param trafficClass IPv4 ToS or IPv6 traffic class byte (traffic_class)
 */
public record AddressVector(Gid destination, int sourceGidIndex, int trafficClass) {}
