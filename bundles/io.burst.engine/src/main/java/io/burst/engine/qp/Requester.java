package io.burst.engine.qp;

import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.PacketWriter;
import io.burst.engine.wire.Psn;
import io.burst.engine.wire.RocePacket;
import io.burst.linux.Memory;
import io.burst.spi.Frame;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.ReadyToSend;

/**
 * The half of a reliable connection that sends requests: cuts messages into packets, takes ACKs and NAKs, goes back N
 * when something is missing (IBTA volume 1, 9.7.5). Owned by its queue pair's thread.
 *
 * <p>Three PSNs describe it, in this order on the circle: everything before {@link #unackedPsn} is acknowledged, the
 * next packet is {@link #cursorPsn}, and nothing from {@link #sentPsn} on was ever sent. The cursor is behind the last
 * while it goes over lost packets again.
 */
final class Requester {
  static final long NEVER = Long.MAX_VALUE;

  /** Packets under way at most. Small enough for an unprivileged socket's receive buffer at the other end. */
  private static final int WINDOW_PACKETS = 32;

  /** Divides the window, so that the packet that fills it always asks for the ACK that opens it again. */
  private static final int ACK_EVERY_PACKETS = 16;

  private static final int RNR_RETRY_FOR_EVER = 7;

  /** IBTA volume 1, 9.7.6.1.3: the local ACK timeout's unit, 4.096 us. */
  private static final long TIMEOUT_UNIT_NS = 4096;

  /**
   * The timer may run from one to four times the timeout (IBTA volume 1, 9.7.6.1.3): the first time-out comes soon, as
   * a lost packet wants it, and further ones in a row give a stalled peer more time, to 2^2 times.
   */
  private static final int MOST_DOUBLINGS = 2;

  private final ReliableConnection connection;
  private final WorkQueue sends;
  /** The first PSN of each request, by slot; valid from the oldest request to {@link #numbered}. */
  private final int[] firstPsn;

  /** The request that the next packet belongs to, and where in it the packet starts. */
  private long cursor;
  private long cursorOffset;
  private int cursorPsn;
  /** Requests before this one have PSNs. */
  private long numbered;
  private int unackedPsn;
  private int sentPsn;

  private long timeoutNs;
  private int retryCount;
  private int rnrRetryCount;
  private int retriesLeft;
  private int rnrRetriesLeft;
  private int timeoutsInARow;
  private long deadlineNs = NEVER;
  /** While an RNR NAK makes it wait: when it may go on; else 0. */
  private long resumeNs;

  Requester(ReliableConnection connection) {
    this.connection = connection;
    sends = connection.sends;
    firstPsn = new int[sends.slots()];
  }

  void start(ReadyToSend attributes) {
    cursorPsn = Psn.mask(attributes.sendPsn());
    unackedPsn = cursorPsn;
    sentPsn = cursorPsn;
    timeoutNs = attributes.timeout() == 0 ? NEVER : TIMEOUT_UNIT_NS << attributes.timeout();
    retryCount = attributes.retryCount();
    rnrRetryCount = attributes.rnrRetryCount();
    refillRetries();
  }

  int nextPsn() {
    return cursorPsn;
  }

  long nextDeadlineNs() {
    return isWaiting() ? resumeNs : deadlineNs;
  }

  /** Writes the next request packet; false when nothing may be sent now. */
  boolean pollTransmit(Frame out, long nowNs) {
    if (isWaiting() && nowNs < resumeNs) {
      return false;
    }
    resumeNs = 0;
    if (cursor == sends.posted() || Psn.distance(unackedPsn, cursorPsn) >= WINDOW_PACKETS) {
      return false;
    }
    if (!isReadable()) {
      failInTurn();
      return false;
    }
    transmit(out);
    if (deadlineNs == NEVER) {
      arm(nowNs);
    }
    return true;
  }

  /** Takes an ACK or a NAK; its PSN is the last one that an ACK acknowledges, or the one that a NAK refuses. */
  void onAcknowledge(RocePacket packet, long nowNs) {
    int syndrome = packet.aethSyndrome();
    int psn = packet.psn();
    if (Psn.distance(unackedPsn, psn) >= Psn.distance(unackedPsn, sentPsn)) {
      connection.counters.increment(Counter.RX_STALE_RESPONSE);
    } else if (Aeth.isAck(syndrome)) {
      acknowledgeBefore(Psn.add(psn, 1), nowNs);
    } else if (Aeth.isRnrNak(syndrome)) {
      onReceiverNotReady(psn, Aeth.rnrTimerNs(syndrome), nowNs);
    } else {
      onNak(syndrome, psn, nowNs);
    }
  }

  void onTimeout(long nowNs) {
    if (nowNs >= deadlineNs) {
      connection.counters.increment(Counter.LOCAL_ACK_TIMEOUT_ERR);
      timeoutsInARow++;
      retryFrom(unackedPsn);
    }
  }

  /** Completes everything posted as flushed. */
  void flush() {
    while (sends.oldest() != sends.posted()) {
      complete(CompletionStatus.WORK_REQUEST_FLUSHED);
    }
    deadlineNs = NEVER;
    resumeNs = 0;
  }

  private boolean isWaiting() {
    return resumeNs != 0;
  }

  private boolean isReadable() {
    long lengthBytes = sends.lengthBytes(cursor);
    return lengthBytes == 0 || connection.find(sends.localKey(cursor), sends.address(cursor), lengthBytes) != null;
  }

  /** Completions are in order: a bad request fails only once all before it are done. */
  private void failInTurn() {
    if (cursor == sends.oldest()) {
      fail(CompletionStatus.LOCAL_PROTECTION_ERROR);
    }
  }

  private void transmit(Frame out) {
    if (cursor == numbered) {
      firstPsn[sends.slot(cursor)] = cursorPsn;
      numbered++;
    }
    long remainingBytes = sends.lengthBytes(cursor) - cursorOffset;
    int payloadBytes = (int) Math.min(remainingBytes, connection.mtuBytes);
    boolean last = payloadBytes == remainingBytes;
    int inFlight = Psn.distance(unackedPsn, cursorPsn) + 1;
    PacketWriter writer = connection.begin(out, sendOpcode(cursorOffset == 0, last), cursorPsn);
    writer.ackRequested(last || inFlight % ACK_EVERY_PACKETS == 0);
    Memory.copy(sends.address(cursor) + cursorOffset, out.address + writer.payloadOffset(), payloadBytes);
    connection.end(out, payloadBytes);
    advance(payloadBytes, last);
  }

  private static Opcode sendOpcode(boolean first, boolean last) {
    if (first) {
      return last ? Opcode.RC_SEND_ONLY : Opcode.RC_SEND_FIRST;
    }
    return last ? Opcode.RC_SEND_LAST : Opcode.RC_SEND_MIDDLE;
  }

  private void advance(int payloadBytes, boolean last) {
    cursorPsn = Psn.add(cursorPsn, 1);
    if (last) {
      cursor++;
      cursorOffset = 0;
    } else {
      cursorOffset += payloadBytes;
    }
    if (Psn.compare(cursorPsn, sentPsn) > 0) {
      sentPsn = cursorPsn;
    } else {
      connection.counters.increment(Counter.RETRANSMITTED_PKTS);
    }
  }

  private void acknowledgeBefore(int psn, long nowNs) {
    if (psn == unackedPsn) {
      return;
    }
    unackedPsn = psn;
    refillRetries();
    while (sends.oldest() < numbered && isAcknowledged(sends.oldest())) {
      complete(CompletionStatus.SUCCESS);
    }
    if (Psn.compare(psn, cursorPsn) > 0) {
      seek(psn);
    }
    deadlineNs = NEVER;
    if (unackedPsn != cursorPsn) {
      arm(nowNs);
    }
  }

  private boolean isAcknowledged(long sequence) {
    return Psn.distance(firstPsn[sends.slot(sequence)], unackedPsn) >= packets(sequence);
  }

  /** A message of no bytes is one packet too. */
  private int packets(long sequence) {
    long lengthBytes = sends.lengthBytes(sequence);
    return lengthBytes == 0 ? 1 : (int) ((lengthBytes - 1) / connection.mtuBytes) + 1;
  }

  private void onReceiverNotReady(int psn, long delayNs, long nowNs) {
    connection.counters.increment(Counter.RCVD_RNR_ERR);
    acknowledgeBefore(psn, nowNs);
    if (rnrRetryCount != RNR_RETRY_FOR_EVER && rnrRetriesLeft-- == 0) {
      connection.counters.increment(Counter.RNR_NAK_RETRY_ERR);
      fail(CompletionStatus.RECEIVER_NOT_READY_RETRY_EXCEEDED);
      return;
    }
    seek(psn);
    resumeNs = nowNs + delayNs;
    deadlineNs = NEVER;
  }

  private void onNak(int syndrome, int psn, long nowNs) {
    switch (syndrome) {
      case Aeth.NAK_SEQUENCE_ERROR:
        onSequenceError(psn, nowNs);
        break;
      case Aeth.NAK_INVALID_REQUEST:
        failAt(psn, CompletionStatus.REMOTE_INVALID_REQUEST, nowNs);
        break;
      case Aeth.NAK_REMOTE_ACCESS_ERROR:
        failAt(psn, CompletionStatus.REMOTE_ACCESS_ERROR, nowNs);
        break;
      case Aeth.NAK_REMOTE_OPERATIONAL_ERROR:
        failAt(psn, CompletionStatus.REMOTE_OPERATION_ERROR, nowNs);
        break;
      default:
        connection.counters.increment(Counter.RX_STALE_RESPONSE);
    }
  }

  /** After an RNR NAK soft-RoCE sends one of these for what was behind the refused packet: not news. */
  private void onSequenceError(int psn, long nowNs) {
    connection.counters.increment(Counter.PACKET_SEQ_ERR);
    if (isWaiting()) {
      return;
    }
    acknowledgeBefore(psn, nowNs);
    retryFrom(psn);
  }

  private void failAt(int psn, CompletionStatus status, long nowNs) {
    acknowledgeBefore(psn, nowNs);
    fail(status);
  }

  private void retryFrom(int psn) {
    if (retriesLeft-- == 0) {
      connection.counters.increment(Counter.RETRY_EXCEEDED_ERR);
      fail(CompletionStatus.RETRY_EXCEEDED);
      return;
    }
    seek(psn);
    deadlineNs = NEVER;
  }

  /** Puts the cursor on a PSN from the first unacknowledged to the first never sent. */
  private void seek(int psn) {
    cursorPsn = psn;
    for (long sequence = sends.oldest(); sequence < numbered; sequence++) {
      int packet = Psn.distance(firstPsn[sends.slot(sequence)], psn);
      if (packet < packets(sequence)) {
        cursor = sequence;
        cursorOffset = (long) packet * connection.mtuBytes;
        return;
      }
    }
    cursor = numbered;
    cursorOffset = 0;
  }

  private void arm(long nowNs) {
    deadlineNs = timeoutNs == NEVER ? NEVER : nowNs + (timeoutNs << Math.min(timeoutsInARow, MOST_DOUBLINGS));
  }

  private void refillRetries() {
    timeoutsInARow = 0;
    retriesLeft = retryCount;
    rnrRetriesLeft = rnrRetryCount;
  }

  private void fail(CompletionStatus status) {
    complete(status);
    connection.enterError();
  }

  private void complete(CompletionStatus status) {
    if (status != CompletionStatus.SUCCESS) {
      connection.counters.increment(Counter.REQ_CQE_ERROR);
    }
    long workRequestId = sends.workRequestId(sends.oldest());
    sends.freeOldest();
    connection.completeSend(workRequestId, status);
  }
}
