package io.burst.engine.fuzz;

import io.burst.verbs.CompletionStatus;

/** How a SEND or WRITE arrives, packet by packet, for the connected services. */
final class MessageModel {
  static final int TAKEN = 0;
  static final int NOT_READY = 0x20;
  static final int INVALID = 0x61;
  static final int ACCESS = 0x62;
  static final int OPERATION = 0x63;

  private final PairModel pair;
  private boolean open;
  private boolean openSend;
  private int placed;
  private long address;
  private int key;
  private long total;
  /** What the receive at hand ends with if the last verdict ends the connection. */
  CompletionStatus failure;

  MessageModel(PairModel pair) {
    this.pair = pair;
  }

  void drop() {
    open = false;
  }

  boolean isOpen() {
    return open;
  }

  boolean isOpenSend() {
    return open && openSend;
  }

  /** The length of the open WRITE that is still to come. */
  int missing() {
    return openSend ? -1 : (int) Math.min(1 << 20, total - placed);
  }

  boolean admits(Datagram packet) {
    return open
        ? !packet.isFirst() && (openSend ? packet.isSend() : packet.isWrite())
        : packet.isFirst();
  }

  /** Executes it in the shadow, or says what becomes of it instead: one of the constants. */
  int take(Datagram packet) {
    failure = CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR;
    int bytes = packet.payloadBytes;
    boolean full = packet.isLast() ? bytes <= PairModel.MTU && (bytes > 0 || packet.isFirst()) : bytes == PairModel.MTU;
    if (!admits(packet) || !full) {
      return INVALID;
    }
    int start = packet.isFirst() ? 0 : placed;
    int verdict = packet.isSend() ? send(packet, start) : write(packet, start);
    if (verdict == TAKEN) {
      placed = start + bytes;
      open = !packet.isLast();
      openSend = packet.isSend();
      if (packet.isLast() && (packet.isSend() || packet.hasImmediate())) {
        pair.completeReceive(packet, placed, packet.hasImmediate());
      }
    }
    return verdict;
  }

  private int send(Datagram packet, int start) {
    if (!pair.hold()) {
      return NOT_READY;
    }
    if (start + packet.payloadBytes > pair.held.room()) {
      failure = CompletionStatus.LOCAL_LENGTH_ERROR;
      return INVALID;
    }
    if (!pair.held.writable()) {
      failure = CompletionStatus.LOCAL_PROTECTION_ERROR;
      return OPERATION;
    }
    if (packet.hasInvalidate() && !pair.arena.invalidate(pair.number, packet.invalidateKey())) {
      return ACCESS;
    }
    pair.scatter(start, packet.buffer, packet.payload, packet.payloadBytes);
    return TAKEN;
  }

  private int write(Datagram packet, int start) {
    if (packet.isFirst()) {
      address = packet.address();
      key = packet.key();
      total = packet.lengthBytes();
    }
    long end = start + packet.payloadBytes;
    boolean rightLength = packet.isLast() ? end == total : end < total;
    if ((pair.rights & Arena.WRITE) == 0 || !rightLength || total > 1L << 31) {
      return INVALID;
    }
    int place = total == 0 ? 0 : pair.arena.resolve(pair.number, key, address, total, Arena.WRITE);
    if (place < 0) {
      return ACCESS;
    }
    if (packet.hasImmediate() && !pair.hold()) {
      return NOT_READY;
    }
    pair.arena.expect(place + start, packet.buffer, packet.payload, packet.payloadBytes);
    return TAKEN;
  }
}
