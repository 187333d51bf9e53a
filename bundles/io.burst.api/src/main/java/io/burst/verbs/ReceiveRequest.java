package io.burst.verbs;

/** Memory to receive a message in (ibv_recv_wr). Mutable and reused, so that posting allocates nothing. */
public final class ReceiveRequest {

  /** Handed back in the completion (wr_id). */
  public long workRequestId;

  /** 2^31 bytes at most; a longer message fails both ends. */
  public final ScatterGatherList buffers = new ScatterGatherList();
}
