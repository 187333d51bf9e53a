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

  /**
   * Registers memory of any size (ibv_reg_mr).
   *
   * @param address of memory that stays mapped until the region is closed; an address that isn't mapped ends the process
   */
  MemoryRegion registerMemory(long address, long lengthBytes, Set<AccessFlag> access);

  /** Allocates a memory window of type 2, bound to nothing (ibv_alloc_mw). */
  MemoryWindow allocateMemoryWindow();

  /**
   * Creates receives that several queue pairs take from (ibv_create_srq).
   *
   * @param depth receives that may be outstanding, 1 or more (max_wr)
   */
  SharedReceiveQueue createSharedReceiveQueue(int depth);

  /** Finds the way for datagrams to a peer (ibv_create_ah); may wait for its neighbour entry. */
  AddressHandle createAddressHandle(AddressVector address);

  /** Creates a queue pair in {@link QueuePairState#RESET} (ibv_create_qp). */
  QueuePair createQueuePair(QueuePairInit init);

  /**
   * Deallocates the domain (ibv_dealloc_pd).
   *
   * @throws VerbsException EBUSY while anything is in it
   */
  @Override
  void close();
}
