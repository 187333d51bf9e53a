package io.burst.engine.fuzz;

import io.burst.engine.qp.Counter;
import io.burst.verbs.CompletionStatus;

/** Datagrams: anyone who knows the Q_Key may send one, and one that doesn't fit is lost. */
final class DatagramModel extends PairModel {
  private static final int ROUTE_HEADER_BYTES = 40;
  private static final int IPV4_BYTES = 20;

  private final int queueKey;

  DatagramModel(Arena arena, Ledger ledger, int number, int local, int queueKey) {
    super(arena, ledger, 3, number, local, 0);
    this.queueKey = queueKey;
  }

  @Override
  long foreign(Datagram packet) {
    boolean rightKey = packet.opcode >> 5 != 3 || packet.buffer.getInt(Datagram.EXTENSION) == queueKey;
    return (packet.destination == local ? 0 : bit(Counter.RX_WRONG_ADDRESS))
        | (rightKey ? 0 : bit(Counter.RX_BAD_QKEY));
  }

  @Override
  void take(Datagram packet, long nowNs) {
    int bytes = ROUTE_HEADER_BYTES + packet.payloadBytes;
    if (!hold() || bytes > held.room()) {
      ledger.count(Counter.RX_DROPPED_MESSAGES);
    } else if (!held.writable()) {
      failReceive(CompletionStatus.LOCAL_PROTECTION_ERROR);
      enterError();
    } else {
      scatter(ROUTE_HEADER_BYTES - IPV4_BYTES, packet.buffer, Datagram.IP, IPV4_BYTES);
      scatter(ROUTE_HEADER_BYTES, packet.buffer, packet.payload, packet.payloadBytes);
      completeReceive(packet, bytes, packet.opcode == 0x65);
    }
  }

  @Override
  void sent(Datagram packet, long nowNs) {
    throw new AssertionError("a datagram queue pair without work sent " + packet.opcode);
  }

  @Override
  void idle(long nowNs) {
  }

  @Override
  void flushSends() {
  }
}
