package io.burst.engine.sim.model;

import io.burst.verbs.AccessFlag;
import java.util.Set;

/**
 * What a key allows.
 *
 * @param domain the protection domain that it belongs to
 * @param start offset of the first byte in its host's memory
 * @param window the side whose queue pair it is good on, or null when it isn't a window
 */
public record Grant(int domain, int start, int lengthBytes, Set<AccessFlag> access, Side window) {

  boolean covers(long offset, long bytes) {
    return offset >= start && offset <= start + lengthBytes && bytes <= start + lengthBytes - offset;
  }

  /** What requests name a byte by, as far as alignment goes. */
  long name(long offset) {
    return access.contains(AccessFlag.ZERO_BASED) ? offset - start : offset;
  }
}
