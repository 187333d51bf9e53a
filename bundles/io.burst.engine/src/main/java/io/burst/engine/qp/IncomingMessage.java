package io.burst.engine.qp;

import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.Operation;
import io.burst.engine.wire.RocePacket;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.CompletionOpcode;

/**
 * The SEND or WRITE that a responder is in the middle of: puts each packet's bytes in their place, if the packet may be
 * there (IBTA volume 1, 9.7.4.1 and 9.8.2). Owned by its queue pair's thread.
 */
final class IncomingMessage {
  private static final int REMOTE_WRITE = Region.bit(AccessFlag.REMOTE_WRITE);

  private final QueuePairContext queuePair;
  private final CurrentReceive receive;

  /** Null between messages. */
  private Operation operation;
  private long placedBytes;
  /** Of a WRITE: where, and how many bytes there are to be. */
  private long writeAddress;
  private int writeKey;
  private long writeBytes;

  IncomingMessage(QueuePairContext queuePair) {
    this.queuePair = queuePair;
    receive = queuePair.receive;
  }

  boolean isOpen() {
    return operation != null;
  }

  /** Forgets it; its receive, if it has one, is the next message's. */
  void drop() {
    operation = null;
  }

  /** Whether a packet of this opcode may come now: First and Only between messages, the others of one kind within. */
  boolean admits(Opcode opcode) {
    return operation == null ? opcode.isFirst() : !opcode.isFirst() && opcode.operation() == operation;
  }

  /** Takes the next packet of a SEND or WRITE; whatever isn't {@link Placement#DONE} has changed nothing. */
  Placement take(RocePacket packet, long payloadAddress) {
    if (!admits(packet.opcode()) || !fillsItsPlace(packet)) {
      return Placement.INVALID_REQUEST;
    }
    return packet.opcode().operation() == Operation.SEND
        ? takeSend(packet, payloadAddress)
        : takeWrite(packet, payloadAddress);
  }

  private Placement takeSend(RocePacket packet, long payloadAddress) {
    Opcode opcode = packet.opcode();
    int bytes = packet.payloadBytes();
    long start = opcode.isFirst() ? 0 : placedBytes;
    if (!receive.hold()) {
      return Placement.NO_RECEIVE;
    }
    if (start + bytes > receive.roomBytes()) {
      return Placement.RECEIVE_TOO_SHORT;
    }
    if (!receive.locate()) {
      return Placement.RECEIVE_NOT_WRITABLE;
    }
    if (opcode.hasInvalidate() && !queuePair.isOwnWindow(packet.invalidateKey())) {
      return Placement.NOT_A_WINDOW;
    }
    receive.scatter(start, payloadAddress, bytes);
    if (opcode.hasInvalidate()) {
      queuePair.invalidate(packet.invalidateKey());
    }
    return advance(packet, start + bytes, CompletionOpcode.RECEIVE);
  }

  private Placement takeWrite(RocePacket packet, long payloadAddress) {
    Opcode opcode = packet.opcode();
    int bytes = packet.payloadBytes();
    boolean first = opcode.isFirst();
    long address = first ? packet.rethAddress() : writeAddress;
    int key = first ? packet.rethKey() : writeKey;
    long total = first ? packet.rethLengthBytes() : writeBytes;
    long start = first ? 0 : placedBytes;
    boolean rightLength = opcode.isLast() ? start + bytes == total : start + bytes < total;
    if (!queuePair.allows(REMOTE_WRITE) || !rightLength || total > QueuePairContext.LONGEST_MESSAGE_BYTES) {
      return Placement.INVALID_REQUEST;
    }
    Region region = total == 0 ? null : queuePair.find(key, address, total, REMOTE_WRITE);
    if (total > 0 && region == null) {
      return Placement.ACCESS_DENIED;
    }
    if (opcode.hasImmediate() && !receive.hold()) {
      return Placement.NO_RECEIVE;
    }
    writeAddress = address;
    writeKey = key;
    writeBytes = total;
    if (bytes > 0) {
      queuePair.arrivals().put(payloadAddress, region.place(address + start), bytes);
    }
    return advance(packet, start + bytes, CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE);
  }

  private Placement advance(RocePacket packet, long placed, CompletionOpcode completion) {
    placedBytes = placed;
    operation = packet.opcode().isLast() ? null : packet.opcode().operation();
    if (packet.opcode().completesReceive()) {
      queuePair.completeReceive(completion, (int) placed, packet);
    }
    return Placement.DONE;
  }

  /** First and Middle fill the path MTU, Last holds 1 to MTU bytes, Only up to MTU. */
  private boolean fillsItsPlace(RocePacket packet) {
    int bytes = packet.payloadBytes();
    if (!packet.opcode().isLast()) {
      return bytes == queuePair.mtuBytes;
    }
    return bytes <= queuePair.mtuBytes && (bytes > 0 || packet.opcode().isFirst());
  }
}
