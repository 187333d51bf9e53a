package io.burst.verbs;

/** One finished work request (ibv_wc). Mutable and reused, so that polling allocates nothing. */
public final class Completion {

  /** What the application gave the request (wr_id). */
  public long workRequestId;

  public CompletionStatus status;

  /** Which kind of work finished; undefined unless {@link #status} is SUCCESS, as in ibv_wc. */
  public CompletionOpcode opcode;

  /** Bytes received; undefined for sends and failures (byte_len). */
  public int lengthBytes;

  /** The local queue pair (qp_num). */
  public int queuePairNumber;
}
