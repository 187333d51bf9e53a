package io.burst.engine.sim.model;

import io.burst.verbs.SendOpcode;

/** A send request; it isn't changed any more when it has been posted. */
public final class Request {
  public final SendOpcode opcode;

  /** What a SEND, WRITE or ATOMIC_WRITE carries, else null. */
  public byte[] payload;

  /** Where the payload lies, or where what a READ or atomic brings goes; empty for what has neither. */
  public Pieces pieces = Pieces.NONE;

  /** Offset in the answering host's memory, which need not be inside of it. */
  public long target;

  public int remoteKey;
  public boolean signaled;
  public boolean fenced;
  public boolean inline;
  public boolean solicited;
  public int immediate;
  public long swapOrAdd;
  public long compare;

  /** The target of an atomic, if other queue pairs change it too, else null. */
  public SharedWord sharedWord;

  /** The window that SEND_WITH_INVALIDATE or LOCAL_INVALIDATE takes away. */
  public int invalidateKey;

  /** What BIND_MEMORY_WINDOW does, else null. */
  public Binding binding;

  /** What a datagram carries; with the highest bit set its sender's own goes instead. */
  public int queueKey;

  public Request(SendOpcode opcode) {
    this.opcode = opcode;
  }

  /** Whether it takes a receive at the other end. */
  public boolean consumesReceive() {
    return opcode.isSend() || opcode == SendOpcode.WRITE_WITH_IMMEDIATE;
  }

  int lengthBytes() {
    return payload != null ? payload.length : pieces.totalBytes();
  }

  /** Whether it brings something back to the asker's memory. */
  boolean brings() {
    return opcode == SendOpcode.READ || opcode.isAtomic();
  }

  /** Whether it puts its payload into memory that it names. */
  boolean writes() {
    return opcode.isWrite() || opcode == SendOpcode.ATOMIC_WRITE;
  }
}
