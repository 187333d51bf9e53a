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
   * RESET to INIT (ibv_modify_qp) of a connection: receives may be posted, packets are still dropped.
   *
   * @param remoteAccess what the peer may do through this queue pair, where the region allows it too (qp_access_flags)
   */
  void initialize(Set<AccessFlag> remoteAccess);

  /**
   * RESET to INIT (ibv_modify_qp) of a datagram queue pair.
   *
   * @param queueKey what datagrams must carry to be taken (qkey)
   */
  void initialize(int queueKey);

  /** INIT to RTR (ibv_modify_qp) of a connection: answers the peer's requests from here on. */
  void readyToReceive(ReadyToReceive attributes);

  /** INIT to RTR (ibv_modify_qp) of a datagram queue pair: takes datagrams from here on. */
  void readyToReceive();

  /** RTR to RTS (ibv_modify_qp) of a connection: executes posted sends from here on. */
  void readyToSend(ReadyToSend attributes);

  /**
   * RTR to RTS (ibv_modify_qp) of a datagram queue pair.
   *
   * @param sendPsn our first PSN, masked to 24 bit (sq_psn)
   */
  void readyToSend(int sendPsn);

  /**
   * RTS to SQD (ibv_modify_qp): begins no further send. When those that had begun are done, {@link
   * AsyncEventType#SEND_QUEUE_DRAINED} comes.
   */
  void drain();

  /** SQD or SQE to RTS (ibv_modify_qp). */
  void resume();

  /** Any state to RESET (ibv_modify_qp): everything outstanding ends without a completion. */
  void reset();

  /** Any state to ERR (ibv_modify_qp): everything outstanding completes as flushed. */
  void fail();

  /**
   * Posts a send (ibv_post_send). The memory is the transport's until the completion. The request is copied out.
   *
   * @return false when the send queue is full (ENOMEM)
   * @throws VerbsException EINVAL before RTS, for a length over 2^31 or over what may be inline, an operation that the
   *     service doesn't have, or a datagram without an address handle of the same protection domain
   */
  boolean postSend(SendRequest request);

  /**
   * Posts a receive (ibv_post_recv). The memory is the transport's until the completion. The request is copied out.
   *
   * @return false when the receive queue is full (ENOMEM)
   * @throws VerbsException EINVAL in RESET, or when the receives are shared
   */
  boolean postReceive(ReceiveRequest request);

  /** Destroys it (ibv_destroy_qp). Outstanding work ends without a completion. */
  @Override
  void close();
}
