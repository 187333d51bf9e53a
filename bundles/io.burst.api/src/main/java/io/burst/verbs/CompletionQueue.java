package io.burst.verbs;

/** Where queue pairs report finished work (ibv_cq). One thread polls it at a time. */
public interface CompletionQueue extends AutoCloseable {

  /**
   * Takes the oldest completion, if there is one (ibv_poll_cq).
   *
   * @param into filled only when the result is true
   * @throws VerbsException EOVERFLOW after the queue was overrun
   */
  boolean poll(Completion into);

  /**
   * Asks for one call of the queue's listener, at the next completion (ibv_req_notify_cq). What came before doesn't
   * count: poll once more after asking.
   *
   * @param solicitedOnly not at each completion, but at a failure, or a message that its sender marked as solicited
   */
  void requestNotification(boolean solicitedOnly);

  /** Completions that fit. */
  int capacity();

  /**
   * Destroys it (ibv_destroy_cq).
   *
   * @throws VerbsException EBUSY while a queue pair reports to it
   */
  @Override
  void close();
}
