package io.burst.engine.qp;

import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;

/** A work queue of send requests: what each does, besides the memory that all work requests have. */
public final class SendQueue extends WorkQueue {
  private static final SendOpcode[] OPCODES = SendOpcode.values();

  private static final int SIGNALED = 1;
  private static final int SOLICITED = 2;
  private static final int FENCED = 4;

  private final byte[] opcode;
  private final byte[] flags;
  private final int[] immediate;
  private final long[] remoteAddress;
  private final int[] remoteKey;
  private final long[] swapOrAdd;
  private final long[] compare;

  /** @param depth requests that may be outstanding, 1 or more */
  public SendQueue(int depth) {
    super(depth);
    opcode = new byte[slots()];
    flags = new byte[slots()];
    immediate = new int[slots()];
    remoteAddress = new long[slots()];
    remoteKey = new int[slots()];
    swapOrAdd = new long[slots()];
    compare = new long[slots()];
  }

  /**
   * For the posting thread.
   *
   * @return false when the queue is full
   */
  public boolean post(SendRequest request) {
    if (isFull()) {
      return false;
    }
    int slot = fill(request.workRequestId, request.buffers);
    opcode[slot] = (byte) request.opcode.ordinal();
    flags[slot] =
        (byte)
            ((request.signaled ? SIGNALED : 0)
                | (request.solicited ? SOLICITED : 0)
                | (request.fenced ? FENCED : 0));
    immediate[slot] = request.immediate;
    remoteAddress[slot] = request.remoteAddress;
    remoteKey[slot] = request.remoteKey;
    swapOrAdd[slot] = request.swapOrAdd;
    compare[slot] = request.compare;
    publish();
    return true;
  }

  SendOpcode opcode(long sequence) {
    return OPCODES[opcode[slot(sequence)]];
  }

  boolean isSignaled(long sequence) {
    return (flags[slot(sequence)] & SIGNALED) != 0;
  }

  boolean isSolicited(long sequence) {
    return (flags[slot(sequence)] & SOLICITED) != 0;
  }

  boolean isFenced(long sequence) {
    return (flags[slot(sequence)] & FENCED) != 0;
  }

  int immediate(long sequence) {
    return immediate[slot(sequence)];
  }

  long remoteAddress(long sequence) {
    return remoteAddress[slot(sequence)];
  }

  int remoteKey(long sequence) {
    return remoteKey[slot(sequence)];
  }

  long swapOrAdd(long sequence) {
    return swapOrAdd[slot(sequence)];
  }

  long compare(long sequence) {
    return compare[slot(sequence)];
  }
}
