package io.burst.engine.qp;

import io.burst.engine.wire.Flow;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.PacketWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;

/** Packets as a peer would send them, made by hand. */
final class Packets {
  private static final int LONGEST_BYTES = 8192;

  private Packets() {}

  static byte[] packet(
      String from, String to, Opcode opcode, int number, int psn, Consumer<PacketWriter> headers, byte[] payload) {
    try {
      Flow flow = new Flow(InetAddress.getByName(from), InetAddress.getByName(to), 0xC123, 0);
      ByteBuffer buffer = ByteBuffer.allocate(LONGEST_BYTES);
      PacketWriter writer = new PacketWriter();
      writer.begin(buffer, 0, flow, opcode, number, psn);
      headers.accept(writer);
      buffer.put(writer.payloadOffset(), payload);
      return Arrays.copyOf(buffer.array(), writer.end(payload.length, 0));
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
