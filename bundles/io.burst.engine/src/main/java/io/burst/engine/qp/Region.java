package io.burst.engine.qp;

import io.burst.verbs.AccessFlag;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory under a key: a registered region, or a window bound to a part of one (IBTA volume 1, 10.6). Immutable but for
 * the count of windows, so any thread may read it; what changes gets a new one under its place in the {@link
 * MemoryTable}.
 */
public final class Region {

  /** What a local key must allow to be read by: regions do, windows don't. */
  static final int LOCAL_READ = 1 << 31;

  private static final AccessFlag[] FLAGS = AccessFlag.values();

  private static final int REMOTE =
      bit(AccessFlag.REMOTE_READ) | bit(AccessFlag.REMOTE_WRITE) | bit(AccessFlag.REMOTE_ATOMIC);
  private static final int CHANGES_MEMORY = bit(AccessFlag.REMOTE_WRITE) | bit(AccessFlag.REMOTE_ATOMIC);
  private static final int LOCAL_WRITE = bit(AccessFlag.LOCAL_WRITE);
  private static final int WINDOW_BIND = bit(AccessFlag.MEMORY_WINDOW_BIND);
  private static final int ZERO_BASED = bit(AccessFlag.ZERO_BASED);

  private static final int ANY_QUEUE_PAIR = -1;

  private final int domain;
  private final int key;
  /** What requests name the first byte by, and where it is. */
  private final long address;
  private final long memory;
  private final long lengthBytes;
  private final int access;
  /** Of a window: where it is good, what it is bound to, and what it becomes when it is taken away. */
  private final boolean window;
  private final int queuePair;
  private final Region parent;
  private final Region unbound;
  /** Windows that are bound to this region. */
  private final AtomicInteger windows = new AtomicInteger();

  private Region(
      int domain, int key, long memory, long lengthBytes, int access, boolean window, int queuePair, Region parent) {
    this.domain = domain;
    this.key = key;
    this.address = (access & ZERO_BASED) == 0 ? memory : 0;
    this.memory = memory;
    this.lengthBytes = lengthBytes;
    this.access = access;
    this.window = window;
    this.queuePair = queuePair;
    this.parent = parent;
    unbound = parent == null ? null : unboundWindow(domain, key);
  }

  static Region registered(int domain, int key, long memory, long lengthBytes, int access) {
    return new Region(domain, key, memory, lengthBytes, access | LOCAL_READ, false, ANY_QUEUE_PAIR, null);
  }

  static Region unboundWindow(int domain, int key) {
    return new Region(domain, key, 0, 0, 0, true, ANY_QUEUE_PAIR, null);
  }

  /** The flag's bit in an access mask. */
  static int bit(AccessFlag flag) {
    return 1 << flag.ordinal();
  }

  public static int mask(Set<AccessFlag> flags) {
    int mask = 0;
    for (AccessFlag flag : FLAGS) {
      mask |= flags.contains(flag) ? bit(flag) : 0;
    }
    return mask;
  }

  public int key() {
    return key;
  }

  /** What requests name the first byte by: its address, or 0. */
  public long address() {
    return address;
  }

  public long lengthBytes() {
    return lengthBytes;
  }

  /** How many windows are bound to it. */
  public int windows() {
    return windows.get();
  }

  int domain() {
    return domain;
  }

  boolean allows(int mask) {
    return (access & mask) == mask;
  }

  /** Without a sum that could wrap: {@code from} and {@code bytes} come from outside. */
  boolean covers(long from, long bytes) {
    return bytes >= 0 && Long.compareUnsigned(from, address) >= 0 && isWithin(from - address, bytes);
  }

  private boolean isWithin(long offset, long bytes) {
    return offset >= 0 && offset <= lengthBytes - bytes;
  }

  /** A window is good on the queue pair that bound it only. */
  boolean isFor(int queuePair) {
    return this.queuePair == ANY_QUEUE_PAIR || this.queuePair == queuePair;
  }

  /** Where the byte that requests name so is in memory. */
  long place(long address) {
    return memory + (address - this.address);
  }

  boolean isUnboundWindow() {
    return window && parent == null;
  }

  boolean isBoundWindow() {
    return parent != null;
  }

  /** Whether the queue pair, or its peer, may take it away. */
  boolean isWindowOf(int domain, int queuePair) {
    return isBoundWindow() && this.domain == domain && this.queuePair == queuePair;
  }

  /** Whether a window with these rights may be bound to part of it (IBTA volume 1, 10.6.7.2.2). */
  boolean takesWindow(WindowBinding binding) {
    boolean rightsOnly = (binding.access & ~(REMOTE | ZERO_BASED)) == 0;
    boolean readOnly = (binding.access & CHANGES_MEMORY) == 0;
    return !window
        && rightsOnly
        && allows(WINDOW_BIND)
        && (readOnly || allows(LOCAL_WRITE))
        && binding.lengthBytes > 0
        && covers(binding.address, binding.lengthBytes);
  }

  /** The window on part of it that a binding asks for. */
  Region bind(WindowBinding binding, int queuePair) {
    windows.incrementAndGet();
    return new Region(
        domain,
        binding.newKey,
        place(binding.address),
        binding.lengthBytes,
        binding.access,
        true,
        queuePair,
        this);
  }

  /** The window that it is, bound to nothing; it keeps its key. */
  Region unbind() {
    parent.windows.decrementAndGet();
    return unbound;
  }
}
