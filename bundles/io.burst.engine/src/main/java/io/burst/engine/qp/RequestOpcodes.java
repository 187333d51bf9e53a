package io.burst.engine.qp;

import io.burst.engine.wire.Opcode;
import io.burst.verbs.SendOpcode;

/** Which packet opcode a request with payload has at each place of its message. Stateless. */
final class RequestOpcodes {
  private RequestOpcodes() {}

  static Opcode of(SendOpcode opcode, boolean first, boolean last) {
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
