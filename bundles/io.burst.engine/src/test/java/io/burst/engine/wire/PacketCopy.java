package io.burst.engine.wire;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/** Builds a packet anew from nothing but the fields that were read from another. */
public final class PacketCopy {
  private PacketCopy() {}

  public static byte[] of(RocePacket packet) {
    ByteBuffer copy = ByteBuffer.allocate(packet.lengthBytes());
    PacketWriter writer = new PacketWriter();
    writer.begin(copy, 0, flow(packet), packet.opcode(), packet.destinationQpn(), packet.psn());
    writer
        .ackRequested(packet.ackRequested())
        .solicited(packet.solicited())
        .migrationRequested(packet.migrationRequested())
        .fecn(packet.fecn())
        .becn(packet.becn())
        .partitionKey(packet.partitionKey());
    packet.opcode().headers().forEach(header -> copyHeader(header, packet, writer));
    byte[] payload = new byte[packet.payloadBytes()];
    packet.buffer().get(packet.payloadOffset(), payload);
    copy.put(writer.payloadOffset(), payload);
    int lengthBytes = writer.end(payload.length, packet.ipIdentification());
    if (lengthBytes != copy.capacity()) {
      throw new AssertionError(lengthBytes + " bytes written, " + copy.capacity() + " expected");
    }
    return copy.array();
  }

  private static void copyHeader(Header header, RocePacket packet, PacketWriter writer) {
    switch (header) {
      case DETH -> writer.deth(packet.dethQueueKey(), packet.dethSourceQpn());
      case RETH -> writer.reth(packet.rethAddress(), packet.rethKey(), packet.rethLengthBytes());
      case AETH -> writer.aeth(packet.aethSyndrome(), packet.aethMsn());
      case ATOMIC_ETH -> writer.atomic(
          packet.atomicAddress(), packet.atomicKey(), packet.atomicSwapOrAdd(), packet.atomicCompare());
      case ATOMIC_ACK_ETH -> writer.atomicAck(packet.atomicAckOriginal());
      case IMM_DT -> writer.immediate(packet.immediate());
      case IETH -> writer.invalidate(packet.invalidateKey());
      case FETH -> writer.feth(packet.fethPlacementType(), packet.fethSelectivityLevel());
      case CNP_RESERVED -> { }
    }
  }

  private static Flow flow(RocePacket packet) {
    InetAddress source = address(packet.isIpv6(), packet.sourceHigh(), packet.sourceLow());
    InetAddress destination = address(packet.isIpv6(), packet.destinationHigh(), packet.destinationLow());
    return new Flow(source, destination, packet.sourcePort(), packet.trafficClass());
  }

  private static InetAddress address(boolean ipv6, long high, long low) {
    try {
      // Not InetAddress: it would make an IPv4 address of a mapped one.
      return ipv6
          ? Inet6Address.getByAddress(null, ByteBuffer.allocate(16).putLong(high).putLong(low).array(), -1)
          : InetAddress.getByAddress(ByteBuffer.allocate(4).putInt((int) low).array());
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }
}
