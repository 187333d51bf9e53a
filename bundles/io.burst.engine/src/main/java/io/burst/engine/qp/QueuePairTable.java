package io.burst.engine.qp;

import java.util.Arrays;

/**
 * Queue pairs by number: direct-mapped on the low bits, which numbering keeps free of collisions. Numbers count up
 * through all 24 bits before one comes again, so that a late packet doesn't reach a new queue pair.
 */
final class QueuePairTable {
  /** 0 and 1 are the management queue pairs; 0xFFFFFF means multicast. */
  private static final int FIRST_NUMBER = 2;
  private static final int LAST_NUMBER = 0xFF_FFFE;
  private static final int NUMBER_MASK = 0xFF_FFFF;
  private static final int MOST = 1 << 22;

  private QueuePairContext[] byNumber = new QueuePairContext[64];
  /** The same ones without gaps, for going round. */
  private QueuePairContext[] all = new QueuePairContext[16];
  private int count;
  private int next;

  QueuePairTable(int firstNumber) {
    next = Math.min(LAST_NUMBER, Math.max(FIRST_NUMBER, firstNumber & NUMBER_MASK));
  }

  int count() {
    return count;
  }

  QueuePairContext get(int index) {
    return all[index];
  }

  /** The queue pair with this number, or null. */
  QueuePairContext find(int number) {
    QueuePairContext found = byNumber[number & byNumber.length - 1];
    return found != null && found.number() == number ? found : null;
  }

  /** A number whose place is free. */
  int takeNumber() {
    if (2 * (count + 1) > byNumber.length) {
      grow();
    }
    int number;
    do {
      number = next;
      next = next == LAST_NUMBER ? FIRST_NUMBER : next + 1;
    } while (byNumber[number & byNumber.length - 1] != null);
    return number;
  }

  void add(QueuePairContext queuePair) {
    byNumber[queuePair.number() & byNumber.length - 1] = queuePair;
    if (count == all.length) {
      all = Arrays.copyOf(all, 2 * count);
    }
    all[count++] = queuePair;
  }

  void remove(QueuePairContext queuePair) {
    byNumber[queuePair.number() & byNumber.length - 1] = null;
    int index = Arrays.asList(all).indexOf(queuePair);
    all[index] = all[--count];
    all[count] = null;
  }

  private void grow() {
    if (byNumber.length > MOST) {
      throw new IllegalStateException("all " + MOST + " queue pairs are in use");
    }
    QueuePairContext[] larger = new QueuePairContext[2 * byNumber.length];
    for (int i = 0; i < count; i++) {
      larger[all[i].number() & larger.length - 1] = all[i];
    }
    byNumber = larger;
  }
}
