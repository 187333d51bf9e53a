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
  /** Where a piece is in memory, as last located. */
  private final long[] place;
  /** The one piece is the queue's own memory, and no key names it. */
  private final boolean[] inline;

  MessageBuffers(int slots) {
    count = new int[slots];
    totalBytes = new long[slots];
    address = new long[slots * ScatterGatherList.CAPACITY];
    lengthBytes = new long[slots * ScatterGatherList.CAPACITY];
    localKey = new int[slots * ScatterGatherList.CAPACITY];
    place = new long[slots * ScatterGatherList.CAPACITY];
    inline = new boolean[slots];
  }

  void set(int slot, ScatterGatherList list) {
    int first = slot * ScatterGatherList.CAPACITY;
    inline[slot] = false;
    count[slot] = list.count();
    totalBytes[slot] = list.totalBytes();
    for (int i = 0; i < list.count(); i++) {
      address[first + i] = list.address(i);
      lengthBytes[first + i] = list.lengthBytes(i);
      localKey[first + i] = list.localKey(i);
    }
  }

  /** Makes the message one piece that needs no key. */
  void setInline(int slot, long from, int bytes) {
    int first = slot * ScatterGatherList.CAPACITY;
    inline[slot] = true;
    count[slot] = 1;
    totalBytes[slot] = bytes;
    lengthBytes[first] = bytes;
    place[first] = from;
  }

  /** Takes over another queue's message. */
  void copy(int slot, MessageBuffers from, int fromSlot) {
    int first = slot * ScatterGatherList.CAPACITY;
    int fromFirst = fromSlot * ScatterGatherList.CAPACITY;
    count[slot] = from.count[fromSlot];
    totalBytes[slot] = from.totalBytes[fromSlot];
    System.arraycopy(from.address, fromFirst, address, first, count[slot]);
    System.arraycopy(from.lengthBytes, fromFirst, lengthBytes, first, count[slot]);
    System.arraycopy(from.localKey, fromFirst, localKey, first, count[slot]);
  }

  long totalBytes(int slot) {
    return totalBytes[slot];
  }

  /**
   * Finds where every piece is in memory now, for the copies that follow: keys may be taken away at any time between
   * two rounds.
   *
   * @return false unless each is in a region of the queue pair's domain that allows the access
   */
  boolean locate(int slot, QueuePairContext queuePair, int access) {
    int first = slot * ScatterGatherList.CAPACITY;
    if (inline[slot]) {
      return true;
    }
    for (int i = first; i < first + count[slot]; i++) {
      if (lengthBytes[i] > 0) {
        Region region = queuePair.find(localKey[i], address[i], lengthBytes[i], access);
        if (region == null) {
          return false;
        }
        place[i] = region.place(address[i]);
      }
    }
    return true;
  }

  /** Copies part of the message to one place; after {@link #locate}. */
  void gather(int slot, long offset, long to, int bytes) {
    int piece = slot * ScatterGatherList.CAPACITY;
    long skip = offset;
    for (int done = 0; done < bytes; piece++) {
      int run = run(piece, skip, bytes - done);
      if (run > 0) {
        Memory.copy(place[piece] + skip, to + done, run);
      }
      done += run;
      skip = Math.max(0, skip - lengthBytes[piece]);
    }
  }

  /** Brings part of the message from one place; after {@link #locate}. */
  void scatter(int slot, long offset, long from, int bytes, Placer placer) {
    int piece = slot * ScatterGatherList.CAPACITY;
    long skip = offset;
    for (int done = 0; done < bytes; piece++) {
      int run = run(piece, skip, bytes - done);
      if (run > 0) {
        placer.put(from + done, place[piece] + skip, run);
      }
      done += run;
      skip = Math.max(0, skip - lengthBytes[piece]);
    }
  }

  /** How many of the bytes left are in this piece, behind those to skip. */
  private int run(int piece, long skip, int bytesLeft) {
    return (int) Math.max(0, Math.min(bytesLeft, lengthBytes[piece] - skip));
  }
}
