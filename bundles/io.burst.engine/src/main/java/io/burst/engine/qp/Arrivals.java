package io.burst.engine.qp;

import io.burst.verbs.Completion;

/**
 * What has come in on one half of a queue pair, in its order, for as long as some of its bytes aren't in place: what
 * tells of them waits here. While no copy is under way it is empty, and everything is told at once. Owned by its queue
 * pair's thread.
 *
 * <p>Arrivals are known by their number, which counts up.
 */
final class Arrivals implements Placer {
  /** A power of 2. */
  private static final int SLOTS = 64;
  private static final int MASK = SLOTS - 1;
  private static final long NONE = -1;

  /** Told in the order of arrival. */
  interface Listener {

    /** Its bytes and all before are in place; if one of these copies failed, {@link #onCopyFailed} came before. */
    default void onArrived(Completion completion, boolean solicited) {}

    /** Some bytes of the packet that began with this PSN never came to their place; all before it did. */
    void onCopyFailed(int psn, long arrival);
  }

  private final Copies copies;
  private final Listener listener;

  private boolean closed;
  private long begun;
  private long ended;
  /** The number of the packet at hand, if some of its bytes were left for later. */
  private long current = NONE;
  private int currentPsn;
  private int currentAckPsn;
  private int currentMsn;

  // By slot; made when something is left for later for the first time, which most queue pairs never do.
  private int[] copiesLeft;
  private boolean[] failed;
  private int[] psn;
  private int[] ackPsn;
  private int[] msn;
  private long[] lowest;
  private long[] end;
  private boolean[] completes;
  private boolean[] solicited;
  private Completion[] completion;

  Arrivals(Copies copies, Listener listener) {
    this.copies = copies;
    this.listener = listener;
  }

  boolean isEmpty() {
    return begun == ended;
  }

  /** The number that the next one will have. */
  long next() {
    return begun;
  }

  /** Whether all before this number are in place. */
  boolean hasEnded(long before) {
    return ended >= before;
  }

  /** Whether a packet can be taken; else it has to wait until something has ended. */
  boolean hasRoom() {
    return isEmpty() || begun - ended < SLOTS - 1 && copies.hasRoom();
  }

  /** Whether bytes that belong there are still to come. */
  boolean isPending(long address, int bytes) {
    for (long arrival = ended; arrival < begun; arrival++) {
      int slot = slot(arrival);
      if (copiesLeft[slot] > 0 && address < end[slot] && lowest[slot] < address + bytes) {
        return true;
      }
    }
    return false;
  }

  /** The PSN that may be acknowledged while the oldest isn't in place. */
  int ackPsn() {
    return ackPsn[slot(ended)];
  }

  /** The message sequence number that goes with {@link #ackPsn}. */
  int msn() {
    return msn[slot(ended)];
  }

  /**
   * A packet's bytes are about to be {@link #put}.
   *
   * @param psn what {@link Listener#onCopyFailed} is told
   * @param ackPsn what may be acknowledged without it, and with which message sequence number
   */
  void begin(int psn, int ackPsn, int msn) {
    current = NONE;
    currentPsn = psn;
    currentAckPsn = ackPsn;
    currentMsn = msn;
  }

  /** Some of the bytes of the packet at hand. */
  @Override
  public void put(long from, long to, int bytes) {
    boolean behindAnother = isPending(to, bytes);
    if (!behindAnother && (copies.isSmall(bytes) || !copies.hasRoom())) {
      Copies.NOW.put(from, to, bytes);
      return;
    }
    int slot = slotOfCurrent();
    copiesLeft[slot]++;
    lowest[slot] = Math.min(lowest[slot], to);
    end[slot] = Math.max(end[slot], to + bytes);
    copies.later(this, current, from, to, bytes, behindAnother);
  }

  /** The packet at hand ended a message: tells so as soon as everything is in place. */
  void complete(Completion completion, boolean solicited) {
    if (isEmpty()) {
      listener.onArrived(completion, solicited);
      return;
    }
    int slot = slotOfCurrent();
    completes[slot] = true;
    this.solicited[slot] = solicited;
    this.completion[slot].set(completion);
  }

  /** For {@link Copies}. */
  void onCopied(long arrival, boolean failed) {
    int slot = slot(arrival);
    copiesLeft[slot]--;
    this.failed[slot] |= failed;
    while (ended < begun && copiesLeft[slot(ended)] == 0) {
      if (!closed) {
        tell(ended);
      }
      ended++;
    }
  }

  /** What is under way tells nobody any more. */
  void close() {
    closed = true;
  }

  private void tell(long arrival) {
    int slot = slot(arrival);
    if (failed[slot]) {
      listener.onCopyFailed(psn[slot], arrival);
    }
    if (completes[slot]) {
      listener.onArrived(completion[slot], solicited[slot]);
    }
  }

  private int slotOfCurrent() {
    if (current == NONE) {
      current = begun++;
      clear(slot(current));
    }
    return slot(current);
  }

  private void clear(int slot) {
    if (copiesLeft == null) {
      allocate();
    }
    copiesLeft[slot] = 0;
    failed[slot] = false;
    completes[slot] = false;
    psn[slot] = currentPsn;
    ackPsn[slot] = currentAckPsn;
    msn[slot] = currentMsn;
    lowest[slot] = Long.MAX_VALUE;
    end[slot] = 0;
  }

  private void allocate() {
    copiesLeft = new int[SLOTS];
    failed = new boolean[SLOTS];
    psn = new int[SLOTS];
    ackPsn = new int[SLOTS];
    msn = new int[SLOTS];
    lowest = new long[SLOTS];
    end = new long[SLOTS];
    completes = new boolean[SLOTS];
    solicited = new boolean[SLOTS];
    completion = new Completion[SLOTS];
    for (int slot = 0; slot < SLOTS; slot++) {
      completion[slot] = new Completion();
    }
  }

  private static int slot(long arrival) {
    return (int) arrival & MASK;
  }
}
