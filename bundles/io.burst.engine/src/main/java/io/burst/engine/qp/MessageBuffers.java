package io.burst.engine.qp;

import io.burst.linux.Memory;
import io.burst.verbs.ScatterGatherList;

/**
 * The scatter/gather lists of a work queue, by slot: a message seen as one run of bytes over pieces of memory. Written
 * by the posting thread before it posts, read by the queue pair's owner after.
 */
final class MessageBuffers {
  private final int[] count;
  private final long[] totalBytes;
  private final long[] address;
  private final long[] lengthBytes;
  private final int[] localKey;

  MessageBuffers(int slots) {
    count = new int[slots];
    totalBytes = new long[slots];
    address = new long[slots * ScatterGatherList.CAPACITY];
    lengthBytes = new long[slots * ScatterGatherList.CAPACITY];
    localKey = new int[slots * ScatterGatherList.CAPACITY];
  }

  void set(int slot, ScatterGatherList list) {
    int first = slot * ScatterGatherList.CAPACITY;
    count[slot] = list.count();
    totalBytes[slot] = list.totalBytes();
    for (int i = 0; i < list.count(); i++) {
      address[first + i] = list.address(i);
      lengthBytes[first + i] = list.lengthBytes(i);
      localKey[first + i] = list.localKey(i);
    }
  }

  long totalBytes(int slot) {
    return totalBytes[slot];
  }

  /** Whether every piece is in a region of the queuePair's domain that allows the access. */
  boolean isAccessible(int slot, QueuePairContext queuePair, int access) {
    int first = slot * ScatterGatherList.CAPACITY;
    for (int i = first; i < first + count[slot]; i++) {
      if (lengthBytes[i] > 0 && queuePair.find(localKey[i], address[i], lengthBytes[i], access) == null) {
        return false;
      }
    }
    return true;
  }

  /** Copies part of the message to one place. */
  void gather(int slot, long offset, long to, int bytes) {
    copy(slot, offset, to, bytes, true);
  }

  /** Copies from one place to part of the message. */
  void scatter(int slot, long offset, long from, int bytes) {
    copy(slot, offset, from, bytes, false);
  }

  private void copy(int slot, long offset, long place, int bytes, boolean toPlace) {
    int piece = slot * ScatterGatherList.CAPACITY;
    long skip = offset;
    for (int done = 0; done < bytes; piece++) {
      if (skip >= lengthBytes[piece]) {
        skip -= lengthBytes[piece];
        continue;
      }
      int run = (int) Math.min(bytes - done, lengthBytes[piece] - skip);
      long inPiece = address[piece] + skip;
      Memory.copy(toPlace ? inPiece : place + done, toPlace ? place + done : inPiece, run);
      done += run;
      skip = 0;
    }
  }
}
