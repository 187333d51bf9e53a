package io.burst.verbs;

/** The way that datagrams take to a peer (ibv_ah). */
public interface AddressHandle extends AutoCloseable {

  /** Destroys it (ibv_destroy_ah); datagrams that were posted with it still go. */
  @Override
  void close();
}
