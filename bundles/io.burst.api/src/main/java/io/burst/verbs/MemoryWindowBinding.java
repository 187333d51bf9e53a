package io.burst.verbs;

import java.util.EnumSet;
import java.util.Set;

/** What a BIND_MEMORY_WINDOW request does (wr.bind_mw). Mutable and reused with its request. */
public final class MemoryWindowBinding {

  /** The window's {@link MemoryWindow#remoteKey} as it is; it must not be bound. */
  public int windowKey;

  /** The key that it gets, another one than it has: see {@link MemoryWindow#nextKey}. */
  public int newKey;

  /** {@link MemoryRegion#localKey} of a region with MEMORY_WINDOW_BIND in the queue pair's protection domain. */
  public int regionKey;

  /** Where in the region, as work requests name it, the window starts. */
  public long address;

  /** 1 or more. */
  public long lengthBytes;

  /** REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC, and ZERO_BASED; what changes memory needs the region's LOCAL_WRITE. */
  public final Set<AccessFlag> access = EnumSet.noneOf(AccessFlag.class);
}
