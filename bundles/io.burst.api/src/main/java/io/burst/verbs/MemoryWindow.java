package io.burst.verbs;

/**
 * A key that a queue pair gives its peer for a while, to a range of a region (ibv_mw, type 2). BIND_MEMORY_WINDOW gives
 * it range, rights and a new key; it is good on that queue pair only, until LOCAL_INVALIDATE or the peer's
 * SEND_WITH_INVALIDATE takes it away.
 */
public interface MemoryWindow extends AutoCloseable {

  /** The key of the last binding; before the first, one that is good for nothing (rkey). */
  int remoteKey();

  /** The key that a next binding may take: the same but for the low 8 bits (ibv_inc_rkey). */
  static int nextKey(int key) {
    return key & ~0xFF | key + 1 & 0xFF;
  }

  /** Deallocates it, bound or not (ibv_dealloc_mw). */
  @Override
  void close();
}
