package io.burst.verbs;

/** Which kind of work finished (ibv_wc_opcode). */
public enum CompletionOpcode {
  SEND,
  WRITE,
  READ,
  COMPARE_SWAP,
  FETCH_ADD,
  ATOMIC_WRITE,
  LOCAL_INVALIDATE,
  BIND_MEMORY_WINDOW,
  RECEIVE,
  /** A receive that a WRITE with immediate took (IBV_WC_RECV_RDMA_WITH_IMM). */
  RECEIVE_WRITE_WITH_IMMEDIATE
}
