package io.burst.engine.qp;

import io.burst.engine.wire.Header;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.PacketWriter;
import io.burst.engine.wire.Transport;
import io.burst.spi.Frame;
import io.burst.verbs.SendOpcode;

/** Writes the packets of requests that carry payload, for every connected service. Stateless. */
final class PayloadPackets {
  /** From an opcode of the reliable connection to that of the unreliable one. */
  private static final int UNRELIABLE = 0x20;

  private PayloadPackets() {}

  /**
   * Writes one packet.
   *
   * @param offset where in the message it starts
   * @param ackRequested whether it asks for an ACK even if it isn't the message's last
   * @return whether it is the last
   */
  static boolean write(
      Connection queuePair, Frame out, long sequence, long offset, int psn, boolean ackRequested) {
    SendQueue sends = queuePair.sends;
    long totalBytes = sends.totalBytes(sequence);
    int payloadBytes = (int) Math.min(totalBytes - offset, queuePair.mtuBytes);
    boolean last = offset + payloadBytes == totalBytes;
    Opcode opcode = opcode(queuePair.transport(), sends.opcode(sequence), offset == 0, last);
    PacketWriter writer = queuePair.begin(out, opcode, psn);
    writer.ackRequested(queuePair.transport() == Transport.RC && (last || ackRequested));
    writer.solicited(sends.isSolicited(sequence) && opcode.completesReceive());
    if (opcode.has(Header.RETH)) {
      writer.reth(sends.remoteAddress(sequence), sends.remoteKey(sequence), totalBytes);
    }
    if (opcode.hasImmediate()) {
      writer.immediate(sends.immediate(sequence));
    }
    if (opcode.hasInvalidate()) {
      writer.invalidate(sends.invalidateKey(sequence));
    }
    sends.gather(sequence, offset, out.address + writer.payloadOffset(), payloadBytes);
    queuePair.end(out, payloadBytes);
    return last;
  }

  private static Opcode opcode(Transport transport, SendOpcode request, boolean first, boolean last) {
    Opcode reliable = reliable(request, first, last);
    return transport == Transport.RC ? reliable : Opcode.of(reliable.code() + UNRELIABLE);
  }

  private static Opcode reliable(SendOpcode opcode, boolean first, boolean last) {
    switch (opcode) {
      case SEND:
        return pick(first, last, Opcode.RC_SEND_FIRST, Opcode.RC_SEND_MIDDLE, Opcode.RC_SEND_LAST, Opcode.RC_SEND_ONLY);
      case SEND_WITH_IMMEDIATE:
        return pick(
            first,
            last,
            Opcode.RC_SEND_FIRST,
            Opcode.RC_SEND_MIDDLE,
            Opcode.RC_SEND_LAST_IMMEDIATE,
            Opcode.RC_SEND_ONLY_IMMEDIATE);
      case SEND_WITH_INVALIDATE:
        return pick(
            first,
            last,
            Opcode.RC_SEND_FIRST,
            Opcode.RC_SEND_MIDDLE,
            Opcode.RC_SEND_LAST_INVALIDATE,
            Opcode.RC_SEND_ONLY_INVALIDATE);
      case WRITE:
        return pick(
            first, last, Opcode.RC_WRITE_FIRST, Opcode.RC_WRITE_MIDDLE, Opcode.RC_WRITE_LAST, Opcode.RC_WRITE_ONLY);
      case WRITE_WITH_IMMEDIATE:
        return pick(
            first,
            last,
            Opcode.RC_WRITE_FIRST,
            Opcode.RC_WRITE_MIDDLE,
            Opcode.RC_WRITE_LAST_IMMEDIATE,
            Opcode.RC_WRITE_ONLY_IMMEDIATE);
      case ATOMIC_WRITE:
        return Opcode.RC_ATOMIC_WRITE;
      default:
        throw new IllegalArgumentException(opcode + " has no payload");
    }
  }

  private static Opcode pick(
      boolean isFirst, boolean isLast, Opcode first, Opcode middle, Opcode last, Opcode only) {
    if (isFirst) {
      return isLast ? only : first;
    }
    return isLast ? last : middle;
  }
}
