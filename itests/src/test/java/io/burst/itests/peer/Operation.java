package io.burst.itests.peer;

import io.burst.verbs.SendOpcode;

/** What a work request does, by BURST's name and by verbs-peer's. */
enum Operation {
  SEND(SendOpcode.SEND, "send"),
  SEND_WITH_IMMEDIATE(SendOpcode.SEND_WITH_IMMEDIATE, "send-imm"),
  SEND_WITH_INVALIDATE(SendOpcode.SEND_WITH_INVALIDATE, "send-inv"),
  WRITE(SendOpcode.WRITE, "write"),
  WRITE_WITH_IMMEDIATE(SendOpcode.WRITE_WITH_IMMEDIATE, "write-imm"),
  READ(SendOpcode.READ, "read"),
  COMPARE_SWAP(SendOpcode.COMPARE_SWAP, "cmp-swap"),
  FETCH_ADD(SendOpcode.FETCH_ADD, "fetch-add"),
  ATOMIC_WRITE(SendOpcode.ATOMIC_WRITE, "atomic-write"),
  BIND(SendOpcode.BIND_MEMORY_WINDOW, "bind"),
  LOCAL_INVALIDATE(SendOpcode.LOCAL_INVALIDATE, "local-inv");

  final SendOpcode opcode;
  final String guestName;

  Operation(SendOpcode opcode, String guestName) {
    this.opcode = opcode;
    this.guestName = guestName;
  }

  boolean isSend() {
    return opcode.isSend();
  }

  /** Whether it takes a receive of the other end. */
  boolean takesReceive() {
    return isSend() || this == WRITE_WITH_IMMEDIATE;
  }

  /** What verbs-peer calls its completion. */
  String completionName() {
    return switch (opcode.completion()) {
      case SEND -> "send";
      case WRITE -> "write";
      default -> guestName;
    };
  }
}
