package io.burst.verbs;

/** Work for the send queue (ibv_send_wr). Mutable and reused, so that posting allocates nothing. */
public final class SendRequest {

  /** Handed back in the completion (wr_id). */
  public long workRequestId;

  public SendOpcode opcode = SendOpcode.SEND;

  /** Local memory: the message, or where a READ or an atomic puts what it brings. 2^31 bytes at most. */
  public final ScatterGatherList buffers = new ScatterGatherList();

  /** Without it the request completes in silence unless it fails (IBV_SEND_SIGNALED). */
  public boolean signaled = true;

  /** Asks the peer to wake whoever waits for a completion there (IBV_SEND_SOLICITED). */
  public boolean solicited;

  /** Starts only when all READs and atomics before it are done (IBV_SEND_FENCE). */
  public boolean fenced;

  /** The bytes are copied while it is posted, without a look at their keys (IBV_SEND_INLINE). */
  public boolean inline;

  /** Handed to the peer as it is, first byte on the wire highest (imm_data). */
  public int immediate;

  /** The peer's memory, for all but SENDs (wr.rdma, wr.atomic). */
  public long remoteAddress;

  public int remoteKey;

  /** What COMPARE_SWAP stores, or FETCH_ADD adds. */
  public long swapOrAdd;

  /** What COMPARE_SWAP expects (compare_add). */
  public long compare;

  /** The window that SEND_WITH_INVALIDATE or LOCAL_INVALIDATE takes away (invalidate_rkey). */
  public int invalidateKey;

  /** What BIND_MEMORY_WINDOW does. */
  public final MemoryWindowBinding binding = new MemoryWindowBinding();

  /** Where a datagram goes (wr.ud.ah). */
  public AddressHandle addressHandle;

  /** The queue pair that a datagram goes to (wr.ud.remote_qpn). */
  public int remoteNumber;

  /** What that one asks for; with bit 31 set the sending queue pair's own goes instead (wr.ud.remote_qkey). */
  public int remoteQueueKey;
}
