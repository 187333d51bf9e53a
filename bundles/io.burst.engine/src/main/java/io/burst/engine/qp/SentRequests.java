package io.burst.engine.qp;

import io.burst.engine.wire.Psn;
import io.burst.verbs.SendOpcode;

/**
 * Which PSNs the requests of a send queue have, and how far the peer has acknowledged them. Owned by its queue pair's
 * thread.
 *
 * <p>Two PSNs bound what is under way: everything before {@link #unackedPsn} is acknowledged, and nothing from {@link
 * #endPsn} on was ever sent.
 */
final class SentRequests {
  private final Connection connection;
  private final SendQueue sends;
  /** The first PSN of each request, by slot; valid from the oldest request to {@link #numbered}. */
  private final int[] firstPsn;
  /** The arrivals before this one must be in place before the request completes, by slot. */
  private final long[] behind;

  /** Requests before this one have PSNs. */
  private long numbered;
  private int unackedPsn;
  private int endPsn;

  SentRequests(Connection connection) {
    this.connection = connection;
    sends = connection.sends;
    firstPsn = new int[sends.slots()];
    behind = new long[sends.slots()];
    numbered = sends.oldest();
  }

  void start(int psn) {
    unackedPsn = psn;
    endPsn = psn;
  }

  /** The first request that has no PSNs yet. */
  long numbered() {
    return numbered;
  }

  int unackedPsn() {
    return unackedPsn;
  }

  /** Gives the next request its PSNs, from this one on. */
  void number(int psn) {
    firstPsn[sends.slot(numbered)] = psn;
    behind[sends.slot(numbered)] = 0;
    numbered++;
  }

  /**
   * Notes that everything before a PSN was sent.
   *
   * @return whether some of it was sent for the first time
   */
  boolean extendTo(int psn) {
    boolean further = Psn.compare(psn, endPsn) > 0;
    if (further) {
      endPsn = psn;
    }
    return further;
  }

  /** Notes that everything before a PSN is acknowledged. */
  void acknowledgeBefore(int psn) {
    unackedPsn = psn;
  }

  /** Some of a READ's bytes came with the arrivals before this one. */
  void completesBehind(long sequence, long arrival) {
    behind[sends.slot(sequence)] = arrival;
  }

  /** See {@link #completesBehind}; 0 when nothing came. */
  long behind(long sequence) {
    return sequence < numbered ? behind[sends.slot(sequence)] : 0;
  }

  boolean isUnderWay(int psn) {
    return Psn.distance(unackedPsn, psn) < Psn.distance(unackedPsn, endPsn);
  }

  /** Whether the oldest request is acknowledged to its end; what is done at this end needs no more than its turn. */
  boolean isOldestAcknowledged() {
    return isAcknowledged(sends.oldest());
  }

  /** The first request that isn't acknowledged to its end; {@link #numbered} if all are. */
  long oldestUnacknowledged() {
    long sequence = sends.oldest();
    while (isAcknowledged(sequence)) {
      sequence++;
    }
    return sequence;
  }

  private boolean isAcknowledged(long sequence) {
    return sequence < numbered && acknowledgedPackets(sequence) == packets(sequence);
  }

  /** The request that a PSN under way belongs to, or {@link #numbered} if it is of none. */
  long find(int psn) {
    long sequence = sends.oldest();
    while (sequence < numbered && packetOf(sequence, psn) >= packets(sequence)) {
      sequence++;
    }
    return sequence;
  }

  /** Which packet of the request has this PSN, which is not before its first. */
  int packetOf(long sequence, int psn) {
    return Psn.distance(firstPsn[sends.slot(sequence)], psn);
  }

  /** PSNs that a request takes: one a packet of its payload or of the READ's responses. */
  int packets(long sequence) {
    SendOpcode opcode = sends.opcode(sequence);
    if (opcode.isLocal()) {
      return 0;
    }
    return opcode.isAtomic() ? 1 : connection.packets(sends.totalBytes(sequence));
  }

  /**
   * The first PSN before the given one at which a READ response or an atomic's value is still to come; else the given.
   */
  int firstMissingAnswer(int before) {
    for (long sequence = sends.oldest(); sequence < numbered; sequence++) {
      int acknowledged = acknowledgedPackets(sequence);
      int next = Psn.add(firstPsn[sends.slot(sequence)], acknowledged);
      if (Psn.compare(next, before) >= 0) {
        return before;
      }
      if (sends.opcode(sequence).isAnswered() && acknowledged < packets(sequence)) {
        return next;
      }
    }
    return before;
  }

  /** How many of a request's PSNs are acknowledged. */
  int acknowledgedPackets(long sequence) {
    int first = firstPsn[sends.slot(sequence)];
    boolean begun = sequence == sends.oldest() || Psn.compare(first, unackedPsn) < 0;
    return begun ? Math.min(packets(sequence), Psn.distance(first, unackedPsn)) : 0;
  }
}
