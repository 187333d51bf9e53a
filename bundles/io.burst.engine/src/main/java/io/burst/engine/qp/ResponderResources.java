package io.burst.engine.qp;

import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.Psn;

/**
 * The peer's READs and atomics that were executed last, as many as may be under way at once: what is still to be
 * answered, in order, and what may have to be answered again (IBTA volume 1, 9.7.7.1 and 9.7.5.1.3). Owned by its queue
 * pair's thread.
 *
 * <p>Entries are known by their number, which counts up; an entry covers the PSNs from its first on.
 */
final class ResponderResources {
  static final long NONE = -1;

  private final int capacity;
  private final Opcode[] opcode;
  private final int[] firstPsn;
  private final int[] packets;
  private final long[] address;
  private final int[] key;
  private final long[] lengthBytes;
  /** The value that an atomic found. */
  private final long[] original;
  /** Response packets from the first to the second of these are still to be sent. */
  private final int[] nextPacket;
  private final int[] endPacket;
  /** Whether the last response packet was sent once. */
  private final boolean[] answered;
  /** The arrivals before this one must be in place before it is answered. */
  private final long[] behind;

  private long added;

  /** @param capacity 0 when the peer may send no READs and atomics */
  ResponderResources(int capacity) {
    this.capacity = capacity;
    opcode = new Opcode[capacity];
    firstPsn = new int[capacity];
    packets = new int[capacity];
    address = new long[capacity];
    key = new int[capacity];
    lengthBytes = new long[capacity];
    original = new long[capacity];
    nextPacket = new int[capacity];
    endPacket = new int[capacity];
    answered = new boolean[capacity];
    behind = new long[capacity];
  }

  /**
   * Whether one more would take the place of one that was never answered: the peer exceeds what it was told. One that
   * is only to be answered again may go: a peer that asks for more has its first answer.
   */
  boolean isFull() {
    return capacity == 0 || added >= capacity && !answered[slot(added)];
  }

  void add(
      Opcode opcode, int firstPsn, int packets, long address, int key, long lengthBytes, long original, long behind) {
    int slot = slot(added++);
    this.opcode[slot] = opcode;
    this.firstPsn[slot] = firstPsn;
    this.packets[slot] = packets;
    this.address[slot] = address;
    this.key[slot] = key;
    this.lengthBytes[slot] = lengthBytes;
    this.original[slot] = original;
    nextPacket[slot] = 0;
    endPacket[slot] = packets;
    answered[slot] = false;
    this.behind[slot] = behind;
  }

  /** The oldest entry with packets to send, or {@link #NONE}. */
  long pending() {
    for (long entry = oldest(); entry < added; entry++) {
      if (isPending(entry)) {
        return entry;
      }
    }
    return NONE;
  }

  /** The entry of this kind that covers a PSN, or {@link #NONE}. */
  long find(Opcode opcode, int psn) {
    // The newest first: a kept one may have had the same PSN, a round of all PSNs ago.
    for (long entry = added - 1; entry >= oldest(); entry--) {
      int slot = slot(entry);
      if (this.opcode[slot] == opcode && Psn.distance(firstPsn[slot], psn) < packets[slot]) {
        return entry;
      }
    }
    return NONE;
  }

  /** Sends packets of an entry again; what was to be sent behind them anyway still is. */
  void replay(long entry, int fromPacket, int toPacket) {
    int slot = slot(entry);
    if (isPending(entry)) {
      nextPacket[slot] = Math.min(nextPacket[slot], fromPacket);
      endPacket[slot] = Math.max(endPacket[slot], toPacket);
    } else {
      nextPacket[slot] = fromPacket;
      endPacket[slot] = toPacket;
    }
  }

  /** Takes the next packet to send of a pending entry: its place in the response. */
  int takePacket(long entry) {
    int slot = slot(entry);
    int packet = nextPacket[slot]++;
    answered[slot] |= nextPacket[slot] == packets[slot];
    return packet;
  }

  /** Whether all of its response was sent once. */
  boolean isAnswered(long entry) {
    return answered[slot(entry)];
  }

  /** Sends no more of it. */
  void drop(long entry) {
    endPacket[slot(entry)] = nextPacket[slot(entry)];
  }

  void clear() {
    for (int slot = 0; slot < capacity; slot++) {
      endPacket[slot] = nextPacket[slot];
    }
  }

  /** Nothing is sent any more of what came behind this arrival. */
  void clearBehind(long arrival) {
    for (int slot = 0; slot < capacity; slot++) {
      if (behind[slot] > arrival) {
        endPacket[slot] = nextPacket[slot];
      }
    }
  }

  long behind(long entry) {
    return behind[slot(entry)];
  }

  Opcode opcode(long entry) {
    return opcode[slot(entry)];
  }

  int firstPsn(long entry) {
    return firstPsn[slot(entry)];
  }

  int packets(long entry) {
    return packets[slot(entry)];
  }

  long address(long entry) {
    return address[slot(entry)];
  }

  int key(long entry) {
    return key[slot(entry)];
  }

  long lengthBytes(long entry) {
    return lengthBytes[slot(entry)];
  }

  long original(long entry) {
    return original[slot(entry)];
  }

  private long oldest() {
    return Math.max(0, added - capacity);
  }

  private boolean isPending(long entry) {
    return nextPacket[slot(entry)] < endPacket[slot(entry)];
  }

  private int slot(long entry) {
    return (int) (entry % capacity);
  }
}
