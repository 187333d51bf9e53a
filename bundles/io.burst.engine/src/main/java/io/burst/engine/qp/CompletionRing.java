package io.burst.engine.qp;

import io.burst.verbs.Completion;
import io.burst.verbs.CompletionOpcode;
import io.burst.verbs.CompletionStatus;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Completions on their way from the one thread that owns the queue pairs to the one that polls. The release of
 * {@link #push} comes after the received bytes were written, so that who sees the completion sees them.
 */
public final class CompletionRing {
  private static final CompletionStatus[] STATUSES = CompletionStatus.values();
  private static final CompletionOpcode[] OPCODES = CompletionOpcode.values();
  private static final VarHandle PUSHED;
  private static final VarHandle POLLED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      PUSHED = lookup.findVarHandle(CompletionRing.class, "pushed", long.class);
      POLLED = lookup.findVarHandle(CompletionRing.class, "polled", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int mask;
  private final long[] workRequestId;
  private final int[] lengthBytes;
  private final int[] queuePairNumber;
  private final int[] immediate;
  private final boolean[] hasImmediate;
  private final byte[] status;
  private final byte[] opcode;

  private long pushed;
  private long polled;
  private volatile boolean overrun;

  /** @param capacity completions that fit at least, 1 or more */
  public CompletionRing(int capacity) {
    int slots = Integer.highestOneBit(Math.max(1, capacity - 1)) << 1;
    mask = slots - 1;
    workRequestId = new long[slots];
    lengthBytes = new int[slots];
    queuePairNumber = new int[slots];
    immediate = new int[slots];
    hasImmediate = new boolean[slots];
    status = new byte[slots];
    opcode = new byte[slots];
  }

  public int capacity() {
    return mask + 1;
  }

  /** True once a completion had to be dropped; for any thread. */
  public boolean isOverrun() {
    return overrun;
  }

  /** For the polling thread; false when there is none. */
  public boolean poll(Completion into) {
    long sequence = polled;
    if (sequence == (long) PUSHED.getAcquire(this)) {
      return false;
    }
    int slot = (int) sequence & mask;
    into.workRequestId = workRequestId[slot];
    into.lengthBytes = lengthBytes[slot];
    into.queuePairNumber = queuePairNumber[slot];
    into.hasImmediate = hasImmediate[slot];
    into.immediate = immediate[slot];
    into.status = STATUSES[status[slot]];
    into.opcode = OPCODES[opcode[slot]];
    POLLED.setRelease(this, sequence + 1);
    return true;
  }

  /**
   * @param immediate four bytes that came with the message
   * @param hasImmediate whether they did
   */
  void push(
      int queuePairNumber,
      CompletionOpcode opcode,
      long workRequestId,
      CompletionStatus status,
      int lengthBytes,
      boolean hasImmediate,
      int immediate) {
    long sequence = pushed;
    if (sequence - (long) POLLED.getAcquire(this) > mask) {
      overrun = true;
      return;
    }
    int slot = (int) sequence & mask;
    this.workRequestId[slot] = workRequestId;
    this.lengthBytes[slot] = lengthBytes;
    this.queuePairNumber[slot] = queuePairNumber;
    this.hasImmediate[slot] = hasImmediate;
    this.immediate[slot] = immediate;
    this.status[slot] = (byte) status.ordinal();
    this.opcode[slot] = (byte) opcode.ordinal();
    PUSHED.setRelease(this, sequence + 1);
  }
}
