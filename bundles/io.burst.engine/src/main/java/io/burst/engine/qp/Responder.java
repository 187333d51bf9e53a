package io.burst.engine.qp;

import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.Operation;
import io.burst.engine.wire.PacketWriter;
import io.burst.engine.wire.Psn;
import io.burst.engine.wire.RocePacket;
import io.burst.linux.Memory;
import io.burst.spi.Frame;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.ReadyToReceive;

/**
 * The half of a reliable connection that executes the peer's requests, each exactly once and in order of PSN, and
 * answers them (IBTA volume 1, 9.7.4 and 9.7.5.1). Owned by its queue pair's thread.
 */
final class Responder {
  private static final int NO_ANSWER = -1;
  private static final int REMOTE_WRITE = Region.bit(AccessFlag.REMOTE_WRITE);
  private static final int REMOTE_READ = Region.bit(AccessFlag.REMOTE_READ);
  private static final int REMOTE_ATOMIC = Region.bit(AccessFlag.REMOTE_ATOMIC);

  private final ReliableConnection connection;
  private final IncomingMessage message;

  private ResponderResources resources = new ResponderResources(0);
  private int expectedPsn;
  /** Of the last packet of a SEND or WRITE that was executed. */
  private int placedPsn;
  private int messageSequenceNumber;
  private int minRnrTimer;

  /** One NAK is enough until the expected packet comes. */
  private boolean nakked;
  /** The one ACK or NAK owed: a later ACK covers an earlier one, and a NAK acknowledges all before it. */
  private int answerSyndrome = NO_ANSWER;
  private int answerPsn;
  /** The first PSN that the peer asked about since it was last answered. */
  private int owedPsn;

  Responder(ReliableConnection connection) {
    this.connection = connection;
    message = new IncomingMessage(connection);
  }

  void start(ReadyToReceive attributes) {
    expectedPsn = Psn.mask(attributes.receivePsn());
    placedPsn = Psn.add(expectedPsn, -1);
    minRnrTimer = attributes.minRnrTimer();
    resources = new ResponderResources(attributes.maxDestinationReadAtomic());
  }

  int expectedPsn() {
    return expectedPsn;
  }

  /**
   * Takes the next packet.
   *
   * @return false when it has to wait, and all that come behind it, until copies have ended
   */
  boolean onRequest(RocePacket packet, long payloadAddress) {
    if (!connection.arrivals().hasRoom() || isAtomicOnWhatIsPending(packet)) {
      return false;
    }
    int order = Psn.compare(packet.psn(), expectedPsn);
    if (order > 0) {
      connection.counters.increment(Counter.OUT_OF_SEQUENCE);
      onGap();
    } else if (order < 0) {
      connection.counters.increment(Counter.DUPLICATE_REQUEST);
      onDuplicate(packet);
    } else {
      onExpected(packet, payloadAddress);
    }
    return true;
  }

  /**
   * Writes the next answer that is owed, in the order of the requests; false when there is none. In the error state
   * only a refusal is sent, and what comes before it.
   */
  boolean pollTransmit(Frame out) {
    if (connection.state() == QueuePairState.ERROR && !isRefusal(answerSyndrome)) {
      return false;
    }
    long entry = resources.pending();
    if (entry != ResponderResources.NONE && connection.arrivals().hasEnded(resources.behind(entry))) {
      return transmitResponse(out, entry);
    }
    if (answerSyndrome == NO_ANSWER) {
      return false;
    }
    return connection.arrivals().isEmpty() ? transmitAnswer(out) : transmitPartOfAnswer(out);
  }

  private boolean transmitAnswer(Frame out) {
    transmitAcknowledge(out, answerSyndrome, answerPsn, messageSequenceNumber);
    answerSyndrome = NO_ANSWER;
    return true;
  }

  /** Acknowledges what is in place, if the peer has asked about any of it; the rest of the answer stays owed. */
  private boolean transmitPartOfAnswer(Frame out) {
    int psn = connection.arrivals().ackPsn();
    if (answerSyndrome != Aeth.ACK || Psn.compare(psn, owedPsn) < 0) {
      return false;
    }
    owedPsn = Psn.add(psn, 1);
    transmitAcknowledge(out, Aeth.ACK, psn, connection.arrivals().msn());
    return true;
  }

  private void transmitAcknowledge(Frame out, int syndrome, int psn, int msn) {
    connection.begin(out, Opcode.RC_ACKNOWLEDGE, psn).aeth(syndrome, msn);
    connection.end(out, 0);
  }

  /** Some bytes of the packet with this PSN never came to their place. */
  void refuseFrom(int psn, long arrival) {
    resources.clearBehind(arrival);
    answer(Aeth.NAK_REMOTE_OPERATIONAL_ERROR, psn);
  }

  /**
   * If the gap closes before its NAK was sent, the peer doesn't know yet that what came behind it was dropped: the NAK
   * is sent all the same, for what is expected now.
   */
  private void onExpected(RocePacket packet, long payloadAddress) {
    boolean gapNotTold = answerSyndrome == Aeth.NAK_SEQUENCE_ERROR;
    nakked = false;
    execute(packet, payloadAddress);
    boolean accepted = packet.psn() != expectedPsn;
    if (gapNotTold && accepted) {
      onGap();
    }
  }

  private void onGap() {
    if (!nakked) {
      nakked = true;
      answer(Aeth.NAK_SEQUENCE_ERROR, expectedPsn);
    }
  }

  /**
   * What was executed is answered again, from what was kept of it, and never executed or even checked again. An ACK
   * never has the PSN of a READ or atomic: soft-RoCE takes it for the answer, and completes what got no data.
   */
  private void onDuplicate(RocePacket packet) {
    switch (packet.opcode().operation()) {
      case READ_REQUEST:
        replayRead(packet);
        break;
      case COMPARE_SWAP:
      case FETCH_ADD:
      case ATOMIC_WRITE:
        long entry = resources.find(packet.opcode(), packet.psn());
        if (entry != ResponderResources.NONE) {
          resources.replay(entry, 0, 1);
        }
        break;
      default:
        // A NAK that is owed says as much, and more.
        if (answerSyndrome == NO_ANSWER) {
          answer(Aeth.ACK, placedPsn);
        }
    }
  }

  /** A repeated READ asks for the same bytes as before or for a later part of them; anything else is ignored. */
  private void replayRead(RocePacket packet) {
    long entry = resources.find(packet.opcode(), packet.psn());
    if (entry == ResponderResources.NONE) {
      return;
    }
    int fromPacket = Psn.distance(resources.firstPsn(entry), packet.psn());
    long offset = (long) fromPacket * connection.mtuBytes;
    boolean samePlace =
        packet.rethKey() == resources.key(entry) && packet.rethAddress() == resources.address(entry) + offset;
    if (samePlace && packet.rethLengthBytes() == resources.lengthBytes(entry) - offset) {
      resources.replay(entry, fromPacket, resources.packets(entry));
    }
  }

  private void execute(RocePacket packet, long payloadAddress) {
    Operation operation = packet.opcode().operation();
    if (!message.admits(packet.opcode())) {
      refuse(Aeth.NAK_INVALID_REQUEST);
      return;
    }
    switch (operation) {
      case SEND:
      case WRITE:
        place(packet, payloadAddress);
        break;
      case READ_REQUEST:
        read(packet);
        break;
      case COMPARE_SWAP:
      case FETCH_ADD:
        atomic(packet, operation);
        break;
      case ATOMIC_WRITE:
        atomicWrite(packet, payloadAddress);
        break;
      default:
        refuse(Aeth.NAK_INVALID_REQUEST);
    }
  }

  private void place(RocePacket packet, long payloadAddress) {
    connection.arrivals().begin(packet.psn(), placedPsn, messageSequenceNumber);
    switch (message.take(packet, payloadAddress)) {
      case DONE:
        accept(packet);
        break;
      case NO_RECEIVE:
        askToWait();
        break;
      case RECEIVE_TOO_SHORT:
        refuse(Aeth.NAK_INVALID_REQUEST, CompletionStatus.LOCAL_LENGTH_ERROR);
        break;
      case NOT_A_WINDOW:
        refuse(Aeth.NAK_REMOTE_ACCESS_ERROR);
        break;
      case RECEIVE_NOT_WRITABLE:
        refuse(Aeth.NAK_REMOTE_OPERATIONAL_ERROR, CompletionStatus.LOCAL_PROTECTION_ERROR);
        break;
      case ACCESS_DENIED:
        refuse(Aeth.NAK_REMOTE_ACCESS_ERROR);
        break;
      case INVALID_REQUEST:
        refuse(Aeth.NAK_INVALID_REQUEST);
    }
  }

  private void read(RocePacket packet) {
    long bytes = packet.rethLengthBytes();
    if (!connection.allows(REMOTE_READ) || bytes > QueuePairContext.LONGEST_MESSAGE_BYTES || resources.isFull()) {
      refuse(Aeth.NAK_INVALID_REQUEST);
    } else if (bytes > 0 && connection.find(packet.rethKey(), packet.rethAddress(), bytes, REMOTE_READ) == null) {
      refuse(Aeth.NAK_REMOTE_ACCESS_ERROR);
    } else {
      int packets = connection.packets(bytes);
      addResource(packet, packets, packet.rethAddress(), packet.rethKey(), bytes, 0);
    }
  }

  private void atomic(RocePacket packet, Operation operation) {
    long address = packet.atomicAddress();
    int key = packet.atomicKey();
    if (!connection.allows(REMOTE_ATOMIC) || !isAligned(address) || resources.isFull()) {
      refuse(Aeth.NAK_INVALID_REQUEST);
      return;
    }
    Region region = connection.find(key, address, Long.BYTES, REMOTE_ATOMIC);
    if (region == null) {
      refuse(Aeth.NAK_REMOTE_ACCESS_ERROR);
    } else if (!isAligned(region.place(address))) {
      refuse(Aeth.NAK_INVALID_REQUEST);
    } else {
      long place = region.place(address);
      long original =
          operation == Operation.FETCH_ADD
              ? Memory.getAndAddLong(place, packet.atomicSwapOrAdd())
              : Memory.compareAndSwapLong(place, packet.atomicCompare(), packet.atomicSwapOrAdd());
      addResource(packet, 1, address, key, Long.BYTES, original);
    }
  }

  private void atomicWrite(RocePacket packet, long payloadAddress) {
    long address = packet.rethAddress();
    int key = packet.rethKey();
    boolean eightBytes = packet.payloadBytes() == Long.BYTES && packet.rethLengthBytes() == Long.BYTES;
    if (!connection.allows(REMOTE_WRITE) || !eightBytes || !isAligned(address) || resources.isFull()) {
      refuse(Aeth.NAK_INVALID_REQUEST);
      return;
    }
    Region region = connection.find(key, address, Long.BYTES, REMOTE_WRITE);
    if (region == null) {
      refuse(Aeth.NAK_REMOTE_ACCESS_ERROR);
    } else if (!isAligned(region.place(address))) {
      refuse(Aeth.NAK_INVALID_REQUEST);
    } else {
      Memory.putLongAtomically(region.place(address), Memory.getLong(payloadAddress));
      addResource(packet, 1, address, key, Long.BYTES, 0);
    }
  }

  /** Its value, or what it changes, may be among the bytes that are still to come. */
  private boolean isAtomicOnWhatIsPending(RocePacket packet) {
    if (connection.arrivals().isEmpty() || packet.psn() != expectedPsn) {
      return false;
    }
    return switch (packet.opcode().operation()) {
      case COMPARE_SWAP, FETCH_ADD -> isPending(packet.atomicKey(), packet.atomicAddress(), REMOTE_ATOMIC);
      case ATOMIC_WRITE -> isPending(packet.rethKey(), packet.rethAddress(), REMOTE_WRITE);
      default -> false;
    };
  }

  private boolean isPending(int key, long address, int access) {
    Region region = connection.find(key, address, Long.BYTES, access);
    return region != null && connection.arrivals().isPending(region.place(address), Long.BYTES);
  }

  /** A zero-based region's addresses may be aligned where its memory isn't: then there is nothing atomic about it. */
  private static boolean isAligned(long address) {
    return (address & Long.BYTES - 1) == 0;
  }

  private void askToWait() {
    connection.counters.increment(Counter.OUT_OF_BUFFER);
    nakked = true;
    answer(Aeth.rnrNak(minRnrTimer), expectedPsn);
  }

  /** A packet of a SEND or WRITE is in its place. */
  private void accept(RocePacket packet) {
    connection.onRequestTaken();
    placedPsn = expectedPsn;
    expectedPsn = Psn.add(expectedPsn, 1);
    if (packet.opcode().isLast()) {
      messageSequenceNumber = Psn.add(messageSequenceNumber, 1);
    }
    // An RNR NAK for this very packet that hasn't been sent is out of date, but what it acknowledged is still to be told.
    if (packet.ackRequested() || answerSyndrome != NO_ANSWER) {
      answer(Aeth.ACK, packet.psn());
    }
  }

  /** A READ or atomic was executed; its answer acknowledges all before it. */
  private void addResource(
      RocePacket packet, int packets, long address, int key, long lengthBytes, long original) {
    long behind = connection.arrivals().next();
    resources.add(packet.opcode(), expectedPsn, packets, address, key, lengthBytes, original, behind);
    connection.onRequestTaken();
    expectedPsn = Psn.add(expectedPsn, packets);
    messageSequenceNumber = Psn.add(messageSequenceNumber, 1);
    answerSyndrome = NO_ANSWER;
  }

  /** Messages that aren't in place don't count yet. */
  private int visibleMsn() {
    return connection.arrivals().isEmpty() ? messageSequenceNumber : connection.arrivals().msn();
  }

  private boolean transmitResponse(Frame out, long entry) {
    Opcode opcode = resources.opcode(entry);
    if (opcode == Opcode.RC_READ_REQUEST) {
      return transmitReadResponse(out, entry);
    }
    resources.takePacket(entry);
    int psn = resources.firstPsn(entry);
    if (opcode == Opcode.RC_ATOMIC_WRITE) {
      connection.begin(out, Opcode.RC_READ_RESPONSE_ONLY, psn).aeth(Aeth.ACK, visibleMsn());
    } else {
      connection
          .begin(out, Opcode.RC_ATOMIC_ACKNOWLEDGE, psn)
          .aeth(Aeth.ACK, visibleMsn())
          .atomicAck(resources.original(entry));
    }
    connection.end(out, 0);
    return true;
  }

  /**
   * The bytes are copied into the frame before the ICRC is taken: their owner may be writing them. The owner may have
   * given them up since the READ was answered, and then nobody waits for them again.
   */
  private boolean transmitReadResponse(Frame out, long entry) {
    boolean repeated = resources.isAnswered(entry);
    int packet = resources.takePacket(entry);
    int last = resources.packets(entry) - 1;
    long offset = (long) packet * connection.mtuBytes;
    int bytes = (int) Math.min(connection.mtuBytes, resources.lengthBytes(entry) - offset);
    long address = resources.address(entry) + offset;
    int psn = Psn.add(resources.firstPsn(entry), packet);
    Region region = bytes == 0 ? null : connection.find(resources.key(entry), address, bytes, REMOTE_READ);
    if (bytes > 0 && region == null && repeated) {
      resources.drop(entry);
      return pollTransmit(out);
    }
    if (bytes > 0 && region == null) {
      resources.clear();
      answer(Aeth.NAK_REMOTE_ACCESS_ERROR, psn);
      connection.raise(AsyncEventType.QUEUE_PAIR_ACCESS_ERROR);
      connection.enterError();
      return pollTransmit(out);
    }
    Opcode opcode = readResponse(packet == 0, packet == last);
    PacketWriter writer = connection.begin(out, opcode, psn);
    if (opcode != Opcode.RC_READ_RESPONSE_MIDDLE) {
      writer.aeth(Aeth.ACK, visibleMsn());
    }
    if (bytes > 0) {
      Memory.copy(region.place(address), out.address + writer.payloadOffset(), bytes);
    }
    connection.end(out, bytes);
    return true;
  }

  private static Opcode readResponse(boolean first, boolean last) {
    if (first) {
      return last ? Opcode.RC_READ_RESPONSE_ONLY : Opcode.RC_READ_RESPONSE_FIRST;
    }
    return last ? Opcode.RC_READ_RESPONSE_LAST : Opcode.RC_READ_RESPONSE_MIDDLE;
  }

  private void refuse(int syndrome) {
    refuse(syndrome, CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
  }

  /** The peer's request can't be done: it gets the NAK, a receive at hand the status, and the rest is flushed. */
  private void refuse(int syndrome, CompletionStatus status) {
    answer(syndrome, expectedPsn);
    if (connection.receive.isHeld()) {
      connection.completeReceive(status);
    }
    connection.raise(event(syndrome));
    connection.enterError();
  }

  private static AsyncEventType event(int syndrome) {
    return switch (syndrome) {
      case Aeth.NAK_INVALID_REQUEST -> AsyncEventType.QUEUE_PAIR_REQUEST_ERROR;
      case Aeth.NAK_REMOTE_ACCESS_ERROR -> AsyncEventType.QUEUE_PAIR_ACCESS_ERROR;
      default -> AsyncEventType.QUEUE_PAIR_FATAL;
    };
  }

  private static boolean isRefusal(int syndrome) {
    return syndrome != NO_ANSWER && Aeth.isNak(syndrome) && syndrome != Aeth.NAK_SEQUENCE_ERROR;
  }

  private void answer(int syndrome, int psn) {
    if (answerSyndrome == NO_ANSWER) {
      owedPsn = psn;
    }
    answerSyndrome = syndrome;
    answerPsn = psn;
  }
}
