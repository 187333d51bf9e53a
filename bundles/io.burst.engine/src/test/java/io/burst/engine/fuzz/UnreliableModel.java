package io.burst.engine.fuzz;

import io.burst.engine.qp.Counter;
import io.burst.verbs.CompletionStatus;

/** The unreliable connection: what breaks off or may not be never was, and nobody is told. */
final class UnreliableModel extends PairModel {
  final MessageModel message = new MessageModel(this);
  int expected;

  UnreliableModel(Arena arena, Ledger ledger, int number, int local, int remote) {
    super(arena, ledger, 1, number, local, remote);
  }

  void restart(int rights, int psn) {
    restart(rights);
    expected = psn;
    message.drop();
  }

  @Override
  void take(Datagram packet, long nowNs) {
    if (packet.psn != expected) {
      ledger.count(Counter.OUT_OF_SEQUENCE);
      message.drop();
    }
    expected = plus(packet.psn, 1);
    if (packet.isFirst()) {
      message.drop();
    } else if (!message.isOpen()) {
      return;
    }
    switch (message.take(packet)) {
      case MessageModel.TAKEN -> hear();
      case MessageModel.OPERATION -> {
        failReceive(CompletionStatus.LOCAL_PROTECTION_ERROR);
        enterError();
      }
      default -> {
        ledger.count(Counter.RX_DROPPED_MESSAGES);
        message.drop();
      }
    }
  }

  @Override
  void sent(Datagram packet, long nowNs) {
    throw new AssertionError("an unreliable connection without work sent " + packet.opcode);
  }

  @Override
  void idle(long nowNs) {
  }

  @Override
  void flushSends() {
  }
}
