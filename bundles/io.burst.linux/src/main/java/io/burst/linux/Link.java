package io.burst.linux;

/**
 * What the kernel says of a network interface.
 *
 * @param linkAddress its MAC address; empty where the link has none
 * @param carrier whether something is connected that is up, too
 */
public record Link(
    String name,
    int index,
    byte[] linkAddress,
    int mtuBytes,
    boolean ethernet,
    boolean loopback,
    boolean up,
    boolean carrier) {}
