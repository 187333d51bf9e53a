package io.burst.engine.qp;

import io.burst.engine.wire.Flow;
import io.burst.engine.wire.RocePacket;
import io.burst.spi.NextHop;
import io.burst.verbs.Gid;

/**
 * The way to a peer: the headers that lead there, the port's next hop, and the addresses that packets from it carry.
 */
public record Path(Flow flow, NextHop nextHop, Gid local, Gid remote) {

  boolean isOf(RocePacket packet) {
    return packet.sourceLow() == remote.low()
        && packet.sourceHigh() == remote.high()
        && packet.destinationLow() == local.low()
        && packet.destinationHigh() == local.high();
  }
}
