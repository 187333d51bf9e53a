package io.burst.verbs;

/** Receives that several queue pairs take from, each when a message comes (ibv_srq). Safe for use by any thread. */
public interface SharedReceiveQueue extends AutoCloseable {

  /**
   * Posts a receive (ibv_post_srq_recv). The memory is the transport's until the completion. The request is copied out.
   *
   * @return false when the queue is full (ENOMEM)
   */
  boolean post(ReceiveRequest request);

  /**
   * Arms {@link AsyncEventType#SHARED_RECEIVE_QUEUE_LIMIT} (ibv_modify_srq): it comes once, when a message takes a
   * receive and leaves fewer than this.
   *
   * @param receives 0 for no event, at most the depth (srq_limit)
   */
  void setLimit(int receives);

  /**
   * Destroys it (ibv_destroy_srq); receives that were left end without a completion.
   *
   * @throws VerbsException EBUSY while a queue pair takes from it
   */
  @Override
  void close();
}
