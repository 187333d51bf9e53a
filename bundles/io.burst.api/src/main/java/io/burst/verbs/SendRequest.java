package io.burst.verbs;

/** A SEND of one piece of memory (ibv_send_wr). Mutable and reused, so that posting allocates nothing. */
public final class SendRequest {

  /** Handed back in the completion (wr_id). */
  public long workRequestId;

  /** Inside the region that {@link #localKey} names; ignored when the length is 0. */
  public long address;

  /** 0 to 2^31. */
  public long lengthBytes;

  public int localKey;
}
