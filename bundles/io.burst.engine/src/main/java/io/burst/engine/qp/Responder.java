package io.burst.engine.qp;

import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.Operation;
import io.burst.engine.wire.Psn;
import io.burst.engine.wire.RocePacket;
import io.burst.linux.Memory;
import io.burst.spi.Frame;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.ReadyToReceive;

/**
 * The half of a reliable connection that executes the peer's requests, each exactly once and in order of PSN, and
 * answers them (IBTA volume 1, 9.7.4). Owned by its queue pair's thread.
 */
final class Responder {
  private static final int NO_ANSWER = -1;

  private final ReliableConnection connection;
  private final WorkQueue receives;

  private int expectedPsn;
  private int messageSequenceNumber;
  private int minRnrTimer;
  /** Between the First and the Last of a message. */
  private boolean inMessage;
  private long receivedBytes;
  /** One NAK is enough until the expected packet comes. */
  private boolean nakked;
  /** The one answer owed: a later ACK covers an earlier one, and a NAK acknowledges all before it. */
  private int answerSyndrome = NO_ANSWER;
  private int answerPsn;

  Responder(ReliableConnection connection) {
    this.connection = connection;
    receives = connection.receives;
  }

  void start(ReadyToReceive attributes) {
    expectedPsn = Psn.mask(attributes.receivePsn());
    minRnrTimer = attributes.minRnrTimer();
  }

  int expectedPsn() {
    return expectedPsn;
  }

  void onRequest(RocePacket packet, long bufferAddress) {
    int order = Psn.compare(packet.psn(), expectedPsn);
    if (order > 0) {
      onGap();
    } else if (order < 0) {
      connection.counters.increment(Counter.DUPLICATE_REQUEST);
      answerDuplicate();
    } else {
      nakked = false;
      execute(packet, bufferAddress + packet.payloadOffset());
    }
  }

  /** Writes the answer that is owed; false when there is none. */
  boolean pollTransmit(Frame out) {
    if (answerSyndrome == NO_ANSWER) {
      return false;
    }
    connection.begin(out, Opcode.RC_ACKNOWLEDGE, answerPsn).aeth(answerSyndrome, messageSequenceNumber);
    connection.end(out, 0);
    answerSyndrome = NO_ANSWER;
    return true;
  }

  /** Completes all receives as flushed. */
  void flush() {
    while (receives.oldest() != receives.posted()) {
      complete(CompletionStatus.WORK_REQUEST_FLUSHED);
    }
  }

  private void onGap() {
    connection.counters.increment(Counter.OUT_OF_SEQUENCE);
    if (!nakked) {
      nakked = true;
      answer(Aeth.NAK_SEQUENCE_ERROR, expectedPsn);
    }
  }

  /** Tells again how far it got; a NAK that is owed says so too, and more. */
  private void answerDuplicate() {
    if (answerSyndrome == NO_ANSWER) {
      answer(Aeth.ACK, Psn.add(expectedPsn, -1));
    }
  }

  private void execute(RocePacket packet, long payloadAddress) {
    if (packet.opcode().operation() != Operation.SEND || !isInOrder(packet)) {
      refuse(Aeth.NAK_INVALID_REQUEST, CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
    } else if (receives.oldest() == receives.posted()) {
      connection.counters.increment(Counter.OUT_OF_BUFFER);
      nakked = true;
      answer(Aeth.rnrNak(minRnrTimer), expectedPsn);
    } else {
      receive(packet, payloadAddress);
    }
  }

  /** First and Middle fill the path MTU, Last holds 1 to MTU bytes, Only up to MTU; and they come in that order. */
  private boolean isInOrder(RocePacket packet) {
    Opcode opcode = packet.opcode();
    int bytes = packet.payloadBytes();
    if (opcode.isFirst() == inMessage) {
      return false;
    }
    if (!opcode.isLast()) {
      return bytes == connection.mtuBytes;
    }
    return bytes <= connection.mtuBytes && (bytes > 0 || opcode.isFirst());
  }

  private void receive(RocePacket packet, long payloadAddress) {
    long request = receives.oldest();
    int bytes = packet.payloadBytes();
    long start = packet.opcode().isFirst() ? 0 : receivedBytes;
    if (start + bytes > receives.lengthBytes(request)) {
      refuse(Aeth.NAK_INVALID_REQUEST, CompletionStatus.LOCAL_LENGTH_ERROR);
    } else if (bytes > 0 && !isWritable(request)) {
      refuse(Aeth.NAK_REMOTE_OPERATIONAL_ERROR, CompletionStatus.LOCAL_PROTECTION_ERROR);
    } else {
      Memory.copy(payloadAddress, receives.address(request) + start, bytes);
      accept(packet, start + bytes);
    }
  }

  private boolean isWritable(long request) {
    Region region =
        connection.find(receives.localKey(request), receives.address(request), receives.lengthBytes(request));
    return region != null && region.localWrite();
  }

  private void accept(RocePacket packet, long bytesSoFar) {
    receivedBytes = bytesSoFar;
    inMessage = !packet.opcode().isLast();
    expectedPsn = Psn.add(expectedPsn, 1);
    if (!inMessage) {
      messageSequenceNumber = messageSequenceNumber + 1 & Psn.MASK;
      complete(CompletionStatus.SUCCESS);
    }
    if (packet.ackRequested()) {
      answer(Aeth.ACK, packet.psn());
    } else if (answerSyndrome != NO_ANSWER && answerSyndrome != Aeth.ACK) {
      // A NAK for this very packet waits to be sent, and is out of date.
      answerSyndrome = NO_ANSWER;
    }
  }

  /** The peer's request can't be done: it gets the NAK, the receive at hand the status, and the rest is flushed. */
  private void refuse(int syndrome, CompletionStatus status) {
    answer(syndrome, expectedPsn);
    if (receives.oldest() != receives.posted()) {
      complete(status);
    }
    connection.enterError();
  }

  private void answer(int syndrome, int psn) {
    answerSyndrome = syndrome;
    answerPsn = psn;
  }

  private void complete(CompletionStatus status) {
    if (status != CompletionStatus.SUCCESS) {
      connection.counters.increment(Counter.RESP_CQE_ERROR);
    }
    long workRequestId = receives.workRequestId(receives.oldest());
    receives.freeOldest();
    connection.completeReceive(workRequestId, status, (int) receivedBytes);
  }
}
