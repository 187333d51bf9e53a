package io.burst.verbs;

/** One finished work request (ibv_wc). Mutable and reused, so that polling allocates nothing. */
public final class Completion {

  /** What the application gave the request (wr_id). */
  public long workRequestId;

  public CompletionStatus status;

  /** Which kind of work finished; undefined unless {@link #status} is SUCCESS, as in ibv_wc. */
  public CompletionOpcode opcode;

  /** Bytes received, also by a READ, and with the {@link #hasGlobalRouteHeader} area where there is one; undefined for the rest and for failures; unsigned, as 2^31 may come (byte_len). */
  public int lengthBytes;

  /** Whether {@link #immediate} came with the message (IBV_WC_WITH_IMM). */
  public boolean hasImmediate;

  /** As the peer gave it, first byte on the wire highest (imm_data). */
  public int immediate;

  /** Whether the peer's SEND took the memory window {@link #invalidatedKey} away (IBV_WC_WITH_INV). */
  public boolean hasInvalidatedKey;

  public int invalidatedKey;

  /** Whether the first 40 bytes received are the datagram's IP header, an IPv4 one in the last 20 (IBV_WC_GRH). */
  public boolean hasGlobalRouteHeader;

  /** Which queue pair sent the datagram (src_qp). */
  public int sourceQueuePairNumber;

  /** The local queue pair (qp_num). */
  public int queuePairNumber;

  /** Takes over all that another one says. */
  public void set(Completion other) {
    workRequestId = other.workRequestId;
    status = other.status;
    opcode = other.opcode;
    lengthBytes = other.lengthBytes;
    hasImmediate = other.hasImmediate;
    immediate = other.immediate;
    hasInvalidatedKey = other.hasInvalidatedKey;
    invalidatedKey = other.invalidatedKey;
    hasGlobalRouteHeader = other.hasGlobalRouteHeader;
    sourceQueuePairNumber = other.sourceQueuePairNumber;
    queuePairNumber = other.queuePairNumber;
  }
}
