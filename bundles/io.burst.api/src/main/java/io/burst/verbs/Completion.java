package io.burst.verbs;

/** One finished work request (ibv_wc). Mutable and reused, so that polling allocates nothing. */
public final class Completion {

  /** What the application gave the request (wr_id). */
  public long workRequestId;

  public CompletionStatus status;

  /** Which kind of work finished; undefined unless {@link #status} is SUCCESS, as in ibv_wc. */
  public CompletionOpcode opcode;

  /** Bytes received, also by a READ; undefined for the rest and for failures; unsigned, as 2^31 may come (byte_len). */
  public int lengthBytes;

  /** Whether {@link #immediate} came with the message (IBV_WC_WITH_IMM). */
  public boolean hasImmediate;

  /** As the peer gave it, first byte on the wire highest (imm_data). */
  public int immediate;

  /** The local queue pair (qp_num). */
  public int queuePairNumber;
}
