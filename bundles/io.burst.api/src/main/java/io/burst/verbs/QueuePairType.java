package io.burst.verbs;

/** The service of a queue pair (ibv_qp_type). */
public enum QueuePairType {
  /** Acknowledged, in order, exactly once; every operation (IBV_QPT_RC). */
  RELIABLE_CONNECTION,
  /** In order as far as it arrives; SEND and WRITE (IBV_QPT_UC). */
  UNRELIABLE_CONNECTION,
  /** Single packets to any queue pair of this type; SEND only (IBV_QPT_UD). */
  UNRELIABLE_DATAGRAM
}
