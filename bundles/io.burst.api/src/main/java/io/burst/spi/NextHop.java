package io.burst.spi;

/** What a port keeps about a destination (a link address, a socket address); made and read by that port alone. */
public interface NextHop {}
