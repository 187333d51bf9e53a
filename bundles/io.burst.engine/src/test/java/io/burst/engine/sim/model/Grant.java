package io.burst.engine.sim.model;

import io.burst.verbs.AccessFlag;
import java.util.Set;

/**
 * What a key allows.
 *
 * @param domain the protection domain that it belongs to
 * @param start offset of the first byte in its host's memory
 */
public record Grant(int domain, int start, int lengthBytes, Set<AccessFlag> access) {

  boolean covers(long offset, long bytes) {
    return offset >= start && offset <= start + lengthBytes && bytes <= start + lengthBytes - offset;
  }
}
