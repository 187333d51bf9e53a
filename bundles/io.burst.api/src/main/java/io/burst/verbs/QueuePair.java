package io.burst.verbs;

import java.util.Set;

/**
 * A queue pair (ibv_qp). Each of its two queues is posted to by one thread at a time; everything else is safe for use
 * by any thread.
 */
public interface QueuePair extends AutoCloseable {

  /** The 24-bit number by which the peer addresses it (qp_num). */
  int number();

  QueuePairState state();

  /**
   * RESET to INIT (ibv_modify_qp): receives may be posted, packets are still dropped.
   *
   * @param remoteAccess what the peer may do through this queue pair, where the region allows it too (qp_access_flags)
   */
  void initialize(Set<AccessFlag> remoteAccess);

  /** INIT to RTR (ibv_modify_qp): answers the peer's requests from here on. */
  void readyToReceive(ReadyToReceive attributes);

  /** RTR to RTS (ibv_modify_qp): executes posted sends from here on. */
  void readyToSend(ReadyToSend attributes);

  /** Any state to ERR (ibv_modify_qp): everything outstanding completes as flushed. */
  void fail();

  /**
   * Posts a send (ibv_post_send). The memory is the transport's until the completion. The request is copied out.
   *
   * @return false when the send queue is full (ENOMEM)
   * @throws VerbsException EINVAL before RTS, for a length over 2^31, or an operation that the service doesn't have
   */
  boolean postSend(SendRequest request);

  /**
   * Posts a receive (ibv_post_recv). The memory is the transport's until the completion. The request is copied out.
   *
   * @return false when the receive queue is full (ENOMEM)
   * @throws VerbsException EINVAL in RESET
   */
  boolean postReceive(ReceiveRequest request);

  /** Destroys it (ibv_destroy_qp). Outstanding work ends without a completion. */
  @Override
  void close();
}
