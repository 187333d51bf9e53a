package io.burst.engine.sim;

import java.util.SplittableRandom;

/**
 * What one end says to the other in one run, drawn from a seed: the plain model that the transport is held against. It
 * knows messages and bytes, and nothing of packets.
 */
final class Traffic {
  private final byte[][] messages;
  private final int[] roomBytes;

  Traffic(SplittableRandom random, int fewestMessages, int longestBytes) {
    messages = new byte[fewestMessages + random.nextInt(10)][];
    roomBytes = new int[messages.length];
    for (int i = 0; i < messages.length; i++) {
      messages[i] = new byte[length(random, longestBytes)];
      random.nextBytes(messages[i]);
      roomBytes[i] = messages[i].length + random.nextInt(32);
    }
  }

  int count() {
    return messages.length;
  }

  byte[] message(int index) {
    return messages[index];
  }

  /** Bytes of the receive that the message finds: as long as it or a little longer. */
  int roomBytes(int index) {
    return roomBytes[index];
  }

  int totalBytes() {
    int total = 0;
    for (byte[] message : messages) {
      total += message.length;
    }
    return total;
  }

  int totalRoomBytes() {
    int total = 0;
    for (int room : roomBytes) {
      total += room;
    }
    return total;
  }

  /** Mostly around the path MTUs, where segmentation has its corners. */
  private static int length(SplittableRandom random, int longestBytes) {
    switch (random.nextInt(4)) {
      case 0:
        return random.nextInt(8);
      case 1:
        return Math.max(0, (256 << random.nextInt(5)) * (1 + random.nextInt(3)) + random.nextInt(-1, 2));
      default:
        return random.nextInt(longestBytes);
    }
  }
}
