package io.burst.engine.qp;

import io.burst.verbs.AccessFlag;
import java.util.Set;

/**
 * Registered memory as the transport sees it. Immutable, so any thread may read it.
 *
 * @param domain the protection domain it belongs to
 * @param access what may be done with it, a bit an {@link AccessFlag}
 */
public record Region(int domain, int key, long address, long lengthBytes, int access) {

  /** Local reads need no flag. */
  static final int ANY_ACCESS = 0;

  /** The flag's bit in an access mask. */
  static int bit(AccessFlag flag) {
    return 1 << flag.ordinal();
  }

  public static int mask(Set<AccessFlag> flags) {
    int mask = 0;
    for (AccessFlag flag : flags) {
      mask |= bit(flag);
    }
    return mask;
  }

  boolean allows(int mask) {
    return (access & mask) == mask;
  }

  /** Without a sum that could wrap: {@code from} and {@code bytes} come from outside. */
  boolean covers(long from, long bytes) {
    return bytes >= 0 && from >= address && from - address <= lengthBytes - bytes;
  }
}
