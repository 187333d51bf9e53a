package io.burst.verbs;

import java.nio.ByteBuffer;
import java.util.Set;

/** Registered memory (ibv_mr). */
public interface MemoryRegion extends AutoCloseable {

  /** What work requests, local and remote, name the first byte by; 0 for a zero-based region. */
  long address();

  long lengthBytes();

  /** The key that local work requests name it by (lkey). */
  int localKey();

  /** The key that remote work requests name it by (rkey). */
  int remoteKey();

  /**
   * Gives the region other memory and access (ibv_rereg_mr): it has new keys then, and no worker touches the old memory
   * any more. When it fails the region is as it was.
   *
   * @throws VerbsException EBUSY while memory windows are bound to it
   */
  void reregister(ByteBuffer buffer, Set<AccessFlag> access);

  /**
   * Gives the region other memory, access and protection domain (ibv_rereg_mr).
   *
   * @param address of memory that stays mapped until the region is closed or registered anew
   * @throws VerbsException EBUSY while memory windows are bound to it
   */
  void reregister(ProtectionDomain domain, long address, long lengthBytes, Set<AccessFlag> access);

  /**
   * Deregisters it (ibv_dereg_mr); returns once no worker touches the memory any more.
   *
   * @throws VerbsException EBUSY while memory windows are bound to it
   */
  @Override
  void close();
}
