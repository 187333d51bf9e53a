package io.burst.engine.sim.model;

import io.burst.verbs.SendOpcode;

/**
 * A send request as it was posted.
 *
 * @param payload what a SEND, WRITE or ATOMIC_WRITE carries, else null
 * @param pieces where the payload lies, or where what a READ or atomic brings goes
 * @param target offset in the answering host's memory, which need not be inside of it
 * @param sharedWord the target of an atomic, if other queue pairs change it too, else null
 */
public record Request(
    SendOpcode opcode,
    byte[] payload,
    Pieces pieces,
    long target,
    int remoteKey,
    boolean signaled,
    boolean fenced,
    int immediate,
    long swapOrAdd,
    long compare,
    SharedWord sharedWord) {

  int lengthBytes() {
    return payload != null ? payload.length : pieces.totalBytes();
  }

  boolean isSend() {
    return opcode.isSend();
  }

  /** Whether it takes a receive at the other end. */
  public boolean consumesReceive() {
    return opcode.isSend() || opcode == SendOpcode.WRITE_WITH_IMMEDIATE;
  }

  /** Whether it brings something back to the asker's memory. */
  boolean brings() {
    return opcode == SendOpcode.READ || opcode == SendOpcode.COMPARE_SWAP || opcode == SendOpcode.FETCH_ADD;
  }

  /** Whether it puts its payload into memory that it names. */
  boolean writes() {
    return opcode == SendOpcode.WRITE
        || opcode == SendOpcode.WRITE_WITH_IMMEDIATE
        || opcode == SendOpcode.ATOMIC_WRITE;
  }

  /** Whether a fence behind it waits for it. */
  boolean isAwaitedByFences() {
    return brings() || opcode == SendOpcode.ATOMIC_WRITE;
  }
}
