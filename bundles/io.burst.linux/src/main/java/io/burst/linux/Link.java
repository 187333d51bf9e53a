package io.burst.linux;

/**
 * What the kernel says of a network interface.
 *
 * @param linkAddress its MAC address; empty where the link has none
 * @param running whether it has a carrier
 */
public record Link(
    String name,
    int index,
    byte[] linkAddress,
    int mtuBytes,
    boolean ethernet,
    boolean loopback,
    boolean up,
    boolean running) {}
