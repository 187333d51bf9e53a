package io.burst.engine.wire;

/** The service an opcode belongs to: the top three bits of its code, and the congestion notification packet apart. */
public enum Transport {
  /** Reliable connection. */
  RC,
  /** Unreliable connection. */
  UC,
  /** Unreliable datagram. */
  UD,
  /** Congestion notification: no transport at all, it only names a queue pair. */
  CNP
}
