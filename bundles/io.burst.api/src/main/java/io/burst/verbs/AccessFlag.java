package io.burst.verbs;

/** What a memory region or a queue pair lets others do (ibv_access_flags). */
public enum AccessFlag {
  /** Receives may be written here; local reads need no flag (IBV_ACCESS_LOCAL_WRITE). */
  LOCAL_WRITE,
  /** IBV_ACCESS_REMOTE_WRITE. */
  REMOTE_WRITE,
  /** IBV_ACCESS_REMOTE_READ. */
  REMOTE_READ,
  /** IBV_ACCESS_REMOTE_ATOMIC. */
  REMOTE_ATOMIC,
  /** Of a region: memory windows may be bound to it (IBV_ACCESS_MW_BIND). */
  MEMORY_WINDOW_BIND,
  /** Of a region or window: its addresses count from 0 (IBV_ACCESS_ZERO_BASED). */
  ZERO_BASED
}
