package io.burst.engine.qp;

/**
 * Registered memory as the transport sees it. Immutable, so any thread may read it.
 *
 * @param domain the protection domain it belongs to
 * @param localWrite whether receives may be written there
 */
public record Region(int domain, int key, long address, long lengthBytes, boolean localWrite) {

  /** Without a sum that could wrap: {@code from} and {@code bytes} come from outside. */
  boolean covers(long from, long bytes) {
    return bytes >= 0 && from >= address && from - address <= lengthBytes - bytes;
  }
}
