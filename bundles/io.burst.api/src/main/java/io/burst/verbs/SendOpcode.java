package io.burst.verbs;

/** What a send request does (ibv_wr_opcode). */
public enum SendOpcode {
  SEND(CompletionOpcode.SEND),
  SEND_WITH_IMMEDIATE(CompletionOpcode.SEND),
  WRITE(CompletionOpcode.WRITE),
  WRITE_WITH_IMMEDIATE(CompletionOpcode.WRITE),
  READ(CompletionOpcode.READ),
  /** Takes 8 bytes; the peer's former value goes to local memory in this host's byte order. */
  COMPARE_SWAP(CompletionOpcode.COMPARE_SWAP),
  /** Takes 8 bytes; the peer's former value goes to local memory in this host's byte order. */
  FETCH_ADD(CompletionOpcode.FETCH_ADD),
  /** Writes 8 bytes at once (IBV_WR_ATOMIC_WRITE). */
  ATOMIC_WRITE(CompletionOpcode.ATOMIC_WRITE),
  /** Takes a memory window of the peer's away when it has arrived (IBV_WR_SEND_WITH_INV). */
  SEND_WITH_INVALIDATE(CompletionOpcode.SEND),
  /** Takes a memory window of this end away; nothing is sent (IBV_WR_LOCAL_INV). */
  LOCAL_INVALIDATE(CompletionOpcode.LOCAL_INVALIDATE),
  /** Gives a memory window its range; nothing is sent (IBV_WR_BIND_MW). */
  BIND_MEMORY_WINDOW(CompletionOpcode.BIND_MEMORY_WINDOW);

  private final CompletionOpcode completion;

  SendOpcode(CompletionOpcode completion) {
    this.completion = completion;
  }

  /** What its completion says it was. */
  public CompletionOpcode completion() {
    return completion;
  }

  public boolean isAtomic() {
    return this == COMPARE_SWAP || this == FETCH_ADD;
  }

  public boolean isSend() {
    return completion == CompletionOpcode.SEND;
  }

  /** True for what is done at this end, without a packet. */
  public boolean isLocal() {
    return this == LOCAL_INVALIDATE || this == BIND_MEMORY_WINDOW;
  }

  public boolean isWrite() {
    return this == WRITE || this == WRITE_WITH_IMMEDIATE;
  }

  public boolean hasImmediate() {
    return this == SEND_WITH_IMMEDIATE || this == WRITE_WITH_IMMEDIATE;
  }

  /** True for what the peer answers with more than an ACK: the initiator depth limits how many are under way. */
  public boolean isAnswered() {
    return this == READ || this == ATOMIC_WRITE || isAtomic();
  }
}
