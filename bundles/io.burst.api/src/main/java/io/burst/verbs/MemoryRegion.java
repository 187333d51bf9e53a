package io.burst.verbs;

/** Registered memory (ibv_mr). */
public interface MemoryRegion extends AutoCloseable {

  /** Virtual address of the first byte; work requests count from here. */
  long address();

  long lengthBytes();

  /** The key that local work requests name it by (lkey). */
  int localKey();

  /** The key that remote work requests name it by (rkey). */
  int remoteKey();

  /** Deregisters it (ibv_dereg_mr); returns once no worker touches the memory any more. */
  @Override
  void close();
}
