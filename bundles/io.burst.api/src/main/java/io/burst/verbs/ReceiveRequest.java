package io.burst.verbs;

/** One piece of memory to receive a message in (ibv_recv_wr). Mutable and reused, so that posting allocates nothing. */
public final class ReceiveRequest {

  /** Handed back in the completion (wr_id). */
  public long workRequestId;

  /** Inside the region that {@link #localKey} names; ignored when the length is 0. */
  public long address;

  /** 0 to 2^31; a longer message fails both ends. */
  public long lengthBytes;

  public int localKey;
}
