package io.burst.engine.qp;

import io.burst.linux.Memory;
import io.burst.verbs.ScatterGatherList;
import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;
import java.nio.ByteBuffer;

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
  private final int[] invalidateKey;
  /** Made when a slot binds for the first time: most queues never do. */
  private final WindowBinding[] binding;
  private final Path[] path;
  private final int[] remoteNumber;
  private final int[] remoteQueueKey;
  private final int maxInlineBytes;
  /** The bytes of inline requests, by slot. */
  private final ByteBuffer inlineBytes;

  /** Takes no inline requests. */
  public SendQueue(int depth) {
    this(depth, 0);
  }

  /**
   * @param depth requests that may be outstanding, 1 or more
   * @param maxInlineBytes the longest inline request
   */
  public SendQueue(int depth, int maxInlineBytes) {
    super(depth);
    this.maxInlineBytes = maxInlineBytes;
    inlineBytes = ByteBuffer.allocateDirect(slots() * maxInlineBytes);
    invalidateKey = new int[slots()];
    binding = new WindowBinding[slots()];
    path = new Path[slots()];
    remoteNumber = new int[slots()];
    remoteQueueKey = new int[slots()];
    opcode = new byte[slots()];
    flags = new byte[slots()];
    immediate = new int[slots()];
    remoteAddress = new long[slots()];
    remoteKey = new int[slots()];
    swapOrAdd = new long[slots()];
    compare = new long[slots()];
  }

  public int maxInlineBytes() {
    return maxInlineBytes;
  }

  /** Posts a request of a connection; see {@link #post(SendRequest, Path)}. */
  public boolean post(SendRequest request) {
    return post(request, null);
  }

  /**
   * For the posting thread.
   *
   * @param request if it is inline, {@link #maxInlineBytes} at most
   * @param to the way of a datagram, or null
   * @return false when the queue is full
   */
  public boolean post(SendRequest request, Path to) {
    if (isFull()) {
      return false;
    }
    int slot = request.inline && !request.opcode.isLocal() ? fillInline(request) : fill(request.workRequestId, request.buffers);
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
    invalidateKey[slot] = request.invalidateKey;
    if (request.opcode == SendOpcode.BIND_MEMORY_WINDOW) {
      binding(slot).set(request.binding);
    }
    path[slot] = to;
    remoteNumber[slot] = request.remoteNumber;
    remoteQueueKey[slot] = request.remoteQueueKey;
    publish();
    return true;
  }

  private WindowBinding binding(int slot) {
    if (binding[slot] == null) {
      binding[slot] = new WindowBinding();
    }
    return binding[slot];
  }

  private int fillInline(SendRequest request) {
    long place = Memory.addressOf(inlineBytes) + (long) nextSlot() * maxInlineBytes;
    ScatterGatherList pieces = request.buffers;
    int bytes = 0;
    for (int i = 0; i < pieces.count(); i++) {
      Memory.copy(pieces.address(i), place + bytes, pieces.lengthBytes(i));
      bytes += (int) pieces.lengthBytes(i);
    }
    return fillInline(request.workRequestId, place, bytes);
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

  int invalidateKey(long sequence) {
    return invalidateKey[slot(sequence)];
  }

  WindowBinding binding(long sequence) {
    return binding[slot(sequence)];
  }

  /** Of a datagram. */
  Path path(long sequence) {
    return path[slot(sequence)];
  }

  int remoteNumber(long sequence) {
    return remoteNumber[slot(sequence)];
  }

  int remoteQueueKey(long sequence) {
    return remoteQueueKey[slot(sequence)];
  }
}
