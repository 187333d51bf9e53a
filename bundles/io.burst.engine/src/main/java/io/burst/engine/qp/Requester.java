package io.burst.engine.qp;

import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.Psn;
import io.burst.engine.wire.RocePacket;
import io.burst.linux.Memory;
import io.burst.spi.Frame;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.SendOpcode;

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

  /**
   * A READ is asked for in requests of at most so many response packets each, so that the window paces what comes as
   * well as what goes. Their borders are multiples of it from the start of the message: a repeated request is the same
   * as before or a suffix of it, as the responder demands.
   */
  private static final int READ_REQUEST_PACKETS = 16;

  private static final int NO_PSN = -1;
  private static final int RNR_RETRY_FOR_EVER = 7;

  /** IBTA volume 1, 9.7.6.1.3: the local ACK timeout's unit, 4.096 us. */
  private static final long TIMEOUT_UNIT_NS = 4096;

  /**
   * The timer may run from one to four times the timeout (IBTA volume 1, 9.7.6.1.3): the first time-out comes soon, as
   * a lost packet wants it, and further ones in a row give a stalled peer more time, to 2^2 times.
   */
  private static final int MOST_DOUBLINGS = 2;

  private final ReliableConnection connection;
  private final SendQueue sends;
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
  /** The response that was last asked for again since a later answer came: asking once is enough until a time-out. */
  private int impliedNakPsn = NO_PSN;
  private int maxReadAtomic;
  private long deadlineNs = NEVER;
  /** While an RNR NAK makes it wait: when it may go on; else 0. */
  private long resumeNs;

  Requester(ReliableConnection connection) {
    this.connection = connection;
    sends = connection.sends;
    firstPsn = new int[sends.slots()];
    cursor = sends.oldest();
    numbered = cursor;
  }

  void start(ReadyToSend attributes) {
    cursorPsn = Psn.mask(attributes.sendPsn());
    unackedPsn = cursorPsn;
    sentPsn = cursorPsn;
    timeoutNs = attributes.timeout() == 0 ? NEVER : TIMEOUT_UNIT_NS << attributes.timeout();
    retryCount = attributes.retryCount();
    rnrRetryCount = attributes.rnrRetryCount();
    maxReadAtomic = attributes.maxReadAtomic();
    refillRetries();
  }

  /** Whether a request was sent in part, or isn't acknowledged. */
  boolean hasBegun() {
    return sends.oldest() < numbered;
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
    while (hasWork() && sends.opcode(cursor).isLocal()) {
      if (!passLocal()) {
        return false;
      }
    }
    if (!hasWork() || Psn.distance(unackedPsn, cursorPsn) >= WINDOW_PACKETS) {
      return false;
    }
    if (sends.opcode(cursor).isAnswered() && maxReadAtomic == 0) {
      failInTurn(CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
      return false;
    }
    if (!sends.locate(cursor, connection, localAccess(sends.opcode(cursor)))) {
      failInTurn(CompletionStatus.LOCAL_PROTECTION_ERROR);
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
    if (!isUnderWay(psn)) {
      connection.counters.increment(Counter.RX_STALE_RESPONSE);
    } else if (Aeth.isAck(syndrome)) {
      acknowledgeUpTo(Psn.add(psn, 1), nowNs);
    } else if (Aeth.isRnrNak(syndrome)) {
      onReceiverNotReady(psn, Aeth.rnrTimerNs(syndrome), nowNs);
    } else {
      onNak(syndrome, psn, nowNs);
    }
  }

  /** Takes a READ response or an ATOMIC WRITE's answer; it acknowledges everything before it. */
  void onReadResponse(RocePacket packet, long payloadAddress, long nowNs) {
    int psn = packet.psn();
    long sequence = isUnderWay(psn) ? find(psn) : numbered;
    if (sequence == numbered || !isAnsweredByRead(sends.opcode(sequence))) {
      connection.counters.increment(Counter.RX_STALE_RESPONSE);
    } else if (acknowledgeUpTo(psn, nowNs)) {
      takeReadResponse(sequence, packet, payloadAddress, nowNs);
    }
  }

  /** Takes the former value of a COMPARE_SWAP or FETCH_ADD; it acknowledges everything before it. */
  void onAtomicAcknowledge(RocePacket packet, long nowNs) {
    int psn = packet.psn();
    long sequence = isUnderWay(psn) ? find(psn) : numbered;
    if (sequence == numbered || !sends.opcode(sequence).isAtomic()) {
      connection.counters.increment(Counter.RX_STALE_RESPONSE);
    } else if (acknowledgeUpTo(psn, nowNs)) {
      takeAtomicAcknowledge(sequence, packet, nowNs);
    }
  }

  void onTimeout(long nowNs) {
    if (nowNs >= deadlineNs) {
      connection.counters.increment(Counter.LOCAL_ACK_TIMEOUT_ERR);
      timeoutsInARow++;
      impliedNakPsn = NO_PSN;
      retryFrom(unackedPsn);
    }
  }

  /** Completes everything posted as flushed. */
  void flush() {
    while (!sends.isEmpty()) {
      connection.completeSend(CompletionStatus.WORK_REQUEST_FLUSHED);
    }
    deadlineNs = NEVER;
    resumeNs = 0;
  }

  private boolean isWaiting() {
    return resumeNs != 0;
  }

  private boolean isUnderWay(int psn) {
    return Psn.distance(unackedPsn, psn) < Psn.distance(unackedPsn, sentPsn);
  }

  /** What the request does with its local memory. */
  private static int localAccess(SendOpcode opcode) {
    return opcode == SendOpcode.READ || opcode.isAtomic() ? Region.bit(AccessFlag.LOCAL_WRITE) : Region.LOCAL_READ;
  }

  private static boolean isAnsweredByRead(SendOpcode opcode) {
    return opcode == SendOpcode.READ || opcode == SendOpcode.ATOMIC_WRITE;
  }

  /** Whether there is a request at the cursor that may go on, or begin. */
  private boolean hasWork() {
    return cursor != sends.posted() && (cursor < numbered || connection.mayBegin()) && !isHeldBack();
  }

  /**
   * Does what is to be done at this end, once, whether or not the cursor comes by again.
   *
   * @return whether it is done
   */
  private boolean passLocal() {
    if (cursor == numbered) {
      CompletionStatus status = execute(cursor);
      if (status != CompletionStatus.SUCCESS) {
        failInTurn(status);
        return false;
      }
      number();
    }
    cursor++;
    completeAcknowledged();
    return connection.state() != QueuePairState.ERROR;
  }

  private CompletionStatus execute(long sequence) {
    if (sends.opcode(sequence) == SendOpcode.BIND_MEMORY_WINDOW) {
      boolean bound = connection.bind(sends.binding(sequence));
      return bound ? CompletionStatus.SUCCESS : CompletionStatus.MEMORY_WINDOW_BIND_ERROR;
    }
    int key = sends.invalidateKey(sequence);
    if (!connection.isOwnWindow(key)) {
      return CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR;
    }
    connection.invalidate(key);
    return CompletionStatus.SUCCESS;
  }

  /** A fence waits for all answers; a READ or atomic waits until the peer has room for one more. */
  private boolean isHeldBack() {
    if (cursorOffset == 0 && sends.isFenced(cursor)) {
      return answersUnderWay() > 0;
    }
    return sends.opcode(cursor).isAnswered() && maxReadAtomic > 0 && answersUnderWay() >= maxReadAtomic;
  }

  /** READ requests and atomics that were sent, up to the cursor, and haven't been answered in full. */
  private int answersUnderWay() {
    int count = 0;
    for (long sequence = sends.oldest(); sequence < numbered && sequence <= cursor; sequence++) {
      if (sends.opcode(sequence).isAnswered()) {
        int sent = sequence < cursor ? packets(sequence) : (int) (cursorOffset / connection.mtuBytes);
        int answered = sequence == sends.oldest() ? Psn.distance(firstPsn[sends.slot(sequence)], unackedPsn) : 0;
        if (sent > answered) {
          count += (sent + READ_REQUEST_PACKETS - 1) / READ_REQUEST_PACKETS - answered / READ_REQUEST_PACKETS;
        }
      }
    }
    return count;
  }

  /** Completions are in order: a bad request fails only once all before it are done. */
  private void failInTurn(CompletionStatus status) {
    if (cursor == sends.oldest()) {
      fail(status);
    }
  }

  private void transmit(Frame out) {
    if (cursor == numbered) {
      number();
    }
    SendOpcode opcode = sends.opcode(cursor);
    if (opcode == SendOpcode.READ) {
      transmitRead(out);
    } else if (opcode.isAtomic()) {
      transmitAtomic(out, opcode == SendOpcode.FETCH_ADD ? Opcode.RC_FETCH_ADD : Opcode.RC_COMPARE_SWAP);
    } else {
      transmitPayload(out);
    }
  }

  /** Gives the request at the cursor its PSNs. */
  private void number() {
    firstPsn[sends.slot(cursor)] = cursorPsn;
    numbered++;
  }

  private void transmitPayload(Frame out) {
    int inFlight = Psn.distance(unackedPsn, cursorPsn) + 1;
    boolean ackRequested = inFlight % ACK_EVERY_PACKETS == 0 || inFlight >= WINDOW_PACKETS;
    boolean last = PayloadPackets.write(connection, out, cursor, cursorOffset, cursorPsn, ackRequested);
    advance(1, last);
  }

  private void transmitRead(Frame out) {
    int packets = packets(cursor);
    int packet = (int) (cursorOffset / connection.mtuBytes);
    int end = Math.min(packets, (packet / READ_REQUEST_PACKETS + 1) * READ_REQUEST_PACKETS);
    long endOffset = Math.min(sends.totalBytes(cursor), (long) end * connection.mtuBytes);
    connection
        .begin(out, Opcode.RC_READ_REQUEST, cursorPsn)
        .ackRequested(true)
        .reth(sends.remoteAddress(cursor) + cursorOffset, sends.remoteKey(cursor), endOffset - cursorOffset);
    connection.end(out, 0);
    advance(end - packet, end == packets);
  }

  private void transmitAtomic(Frame out, Opcode opcode) {
    connection
        .begin(out, opcode, cursorPsn)
        .ackRequested(true)
        .atomic(
            sends.remoteAddress(cursor), sends.remoteKey(cursor), sends.swapOrAdd(cursor), sends.compare(cursor));
    connection.end(out, 0);
    advance(1, true);
  }

  private void advance(int packets, boolean last) {
    cursorPsn = Psn.add(cursorPsn, packets);
    if (last) {
      cursor++;
      cursorOffset = 0;
    } else {
      cursorOffset += (long) packets * connection.mtuBytes;
    }
    if (Psn.compare(cursorPsn, sentPsn) > 0) {
      sentPsn = cursorPsn;
    } else {
      connection.counters.increment(Counter.RETRANSMITTED_PKTS);
    }
  }

  /**
   * Acknowledges all before a PSN, except that an answer that should have come by then and didn't stops it: that one is
   * asked for again (implied NAK).
   *
   * @return whether it got there; not if a completion found no room, which flushes all requests
   */
  private boolean acknowledgeUpTo(int psn, long nowNs) {
    int missing = firstMissingAnswer(psn);
    acknowledgeBefore(missing, nowNs);
    if (connection.state() == QueuePairState.ERROR) {
      return false;
    }
    if (missing == psn) {
      return true;
    }
    if (impliedNakPsn != missing && !isWaiting()) {
      connection.counters.increment(Counter.IMPLIED_NAK_SEQ_ERR);
      impliedNakPsn = missing;
      retryFrom(missing);
    }
    return false;
  }

  /**
   * The first PSN before the given one at which a READ response or an atomic's value is still to come; else the given.
   */
  private int firstMissingAnswer(int before) {
    for (long sequence = sends.oldest(); sequence < numbered; sequence++) {
      int first = sequence == sends.oldest() ? unackedPsn : firstPsn[sends.slot(sequence)];
      if (Psn.compare(first, before) >= 0) {
        return before;
      }
      if (sends.opcode(sequence).isAnswered()) {
        return first;
      }
    }
    return before;
  }

  /** The request that a PSN under way belongs to. */
  private long find(int psn) {
    long sequence = sends.oldest();
    while (sequence < numbered && Psn.distance(firstPsn[sends.slot(sequence)], psn) >= packets(sequence)) {
      sequence++;
    }
    return sequence;
  }

  private void takeReadResponse(long sequence, RocePacket packet, long payloadAddress, long nowNs) {
    int psn = packet.psn();
    long offset = (long) Psn.distance(firstPsn[sends.slot(sequence)], psn) * connection.mtuBytes;
    boolean read = sends.opcode(sequence) == SendOpcode.READ;
    long expectedBytes = read ? Math.min(connection.mtuBytes, sends.totalBytes(sequence) - offset) : 0;
    if (packet.payloadBytes() != expectedBytes) {
      fail(CompletionStatus.BAD_RESPONSE);
    } else if (!sends.locate(sequence, connection, localAccess(sends.opcode(sequence)))) {
      fail(CompletionStatus.LOCAL_PROTECTION_ERROR);
    } else {
      sends.scatter(sequence, offset, payloadAddress, packet.payloadBytes());
      acknowledgeBefore(Psn.add(psn, 1), nowNs);
    }
  }

  private void takeAtomicAcknowledge(long sequence, RocePacket packet, long nowNs) {
    if (!sends.locate(sequence, connection, localAccess(sends.opcode(sequence)))) {
      fail(CompletionStatus.LOCAL_PROTECTION_ERROR);
      return;
    }
    Memory.putLong(connection.scratchAddress, packet.atomicAckOriginal());
    sends.scatter(sequence, 0, connection.scratchAddress, Long.BYTES);
    acknowledgeBefore(Psn.add(packet.psn(), 1), nowNs);
  }

  private void acknowledgeBefore(int psn, long nowNs) {
    if (psn == unackedPsn) {
      return;
    }
    unackedPsn = psn;
    impliedNakPsn = NO_PSN;
    refillRetries();
    completeAcknowledged();
    if (connection.state() == QueuePairState.ERROR) {
      return;
    }
    if (Psn.compare(psn, cursorPsn) > 0) {
      seek(psn);
    }
    deadlineNs = NEVER;
    if (unackedPsn != cursorPsn) {
      arm(nowNs);
    }
  }

  private void completeAcknowledged() {
    while (sends.oldest() < numbered && isAcknowledged(sends.oldest())) {
      connection.completeSend(CompletionStatus.SUCCESS);
    }
  }

  private boolean isAcknowledged(long sequence) {
    return Psn.distance(firstPsn[sends.slot(sequence)], unackedPsn) >= packets(sequence);
  }

  private int packets(long sequence) {
    SendOpcode opcode = sends.opcode(sequence);
    if (opcode.isLocal()) {
      return 0;
    }
    return opcode.isAtomic() ? 1 : connection.packets(sends.totalBytes(sequence));
  }

  /** While it waits it sends nothing, so a second RNR NAK for the same packet is no news and uses no retry. */
  private void onReceiverNotReady(int psn, long delayNs, long nowNs) {
    connection.counters.increment(Counter.RCVD_RNR_ERR);
    boolean repeated = isWaiting() && psn == unackedPsn;
    if (repeated || !acknowledgeUpTo(psn, nowNs)) {
      return;
    }
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
    if (acknowledgeUpTo(psn, nowNs)) {
      retryFrom(psn);
    }
  }

  private void failAt(int psn, CompletionStatus status, long nowNs) {
    if (acknowledgeUpTo(psn, nowNs)) {
      fail(status);
    }
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
    connection.completeSend(status);
    connection.enterError();
  }
}
