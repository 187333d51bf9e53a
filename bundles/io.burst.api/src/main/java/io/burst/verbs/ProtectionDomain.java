package io.burst.verbs;

import java.nio.ByteBuffer;
import java.util.Set;

/** Joins memory regions with the queue pairs that may use them (ibv_pd). Safe for use by any thread. */
public interface ProtectionDomain extends AutoCloseable {

  /**
   * Registers the whole capacity of a direct buffer (ibv_reg_mr).
   *
   * @throws IllegalArgumentException if the buffer isn't direct
   */
  MemoryRegion registerMemory(ByteBuffer buffer, Set<AccessFlag> access);

  /** Creates a queue pair in {@link QueuePairState#RESET} (ibv_create_qp). */
  QueuePair createQueuePair(QueuePairInit init);

  /**
   * Deallocates the domain (ibv_dealloc_pd).
   *
   * @throws VerbsException EBUSY while regions or queue pairs are in it
   */
  @Override
  void close();
}
