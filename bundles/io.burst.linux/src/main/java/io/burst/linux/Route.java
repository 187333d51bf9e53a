package io.burst.linux;

import java.net.InetAddress;

/**
 * The way that the kernel takes to an address.
 *
 * @param nextHop the gateway, or the address itself when it is on the link
 * @param local whether the address is one of this host's
 */
public record Route(int interfaceIndex, InetAddress nextHop, boolean local) {}
