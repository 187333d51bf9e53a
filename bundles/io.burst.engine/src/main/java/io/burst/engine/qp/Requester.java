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
 * <p>The next packet is at the cursor, which is behind the last that was sent while it goes over lost packets again.
 */
final class Requester {
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

  private final ReliableConnection connection;
  private final SendQueue sends;
  private final SentRequests sent;
  /** READ responses whose bytes aren't all in place. */
  private final Arrivals arrivals;
  private final Retries retries = new Retries();

  /** The request that the next packet belongs to, and where in it the packet starts. */
  private long cursor;
  private long cursorOffset;
  private int cursorPsn;
  /** The response that was last asked for again since a later answer came: asking once is enough until a time-out. */
  private int impliedNakPsn = NO_PSN;
  private int maxReadAtomic;
  /** Which request failed, and why, until nothing is under way to its memory any more; else null. */
  private long failed;
  private CompletionStatus failure;

  Requester(ReliableConnection connection, Copies copies) {
    this.connection = connection;
    sends = connection.sends;
    sent = new SentRequests(connection);
    cursor = sends.oldest();
    arrivals = new Arrivals(copies, this::onCopyFailed);
  }

  void start(ReadyToSend attributes) {
    cursorPsn = Psn.mask(attributes.sendPsn());
    sent.start(cursorPsn);
    retries.start(attributes);
    maxReadAtomic = attributes.maxReadAtomic();
  }

  /** Whether a request was sent in part, or isn't acknowledged. */
  boolean hasBegun() {
    return sends.oldest() < sent.numbered();
  }

  int nextPsn() {
    return cursorPsn;
  }

  long nextDeadlineNs() {
    return retries.nextDeadlineNs();
  }

  /** Writes the next request packet; false when nothing may be sent now. */
  boolean pollTransmit(Frame out, long nowNs) {
    completeAcknowledged();
    if (connection.state() == QueuePairState.ERROR || !retries.mayGoOn(nowNs)) {
      return false;
    }
    while (hasWork() && sends.opcode(cursor).isLocal()) {
      if (!passLocal()) {
        return false;
      }
    }
    if (!hasWork() || packetsUnderWay() >= WINDOW_PACKETS) {
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
    retries.arm(nowNs);
    return true;
  }

  /** Takes an ACK or a NAK; its PSN is the last one that an ACK acknowledges, or the one that a NAK refuses. */
  void onAcknowledge(RocePacket packet, long nowNs) {
    int syndrome = packet.aethSyndrome();
    int psn = packet.psn();
    if (!sent.isUnderWay(psn)) {
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
    if (!arrivals.hasRoom()) {
      connection.counters.increment(Counter.RX_COPIES_BUSY);
      return;
    }
    int psn = packet.psn();
    long sequence = sent.isUnderWay(psn) ? sent.find(psn) : sent.numbered();
    if (sequence == sent.numbered() || !isAnsweredByRead(sends.opcode(sequence))) {
      connection.counters.increment(Counter.RX_STALE_RESPONSE);
    } else if (acknowledgeUpTo(psn, nowNs)) {
      takeReadResponse(sequence, packet, payloadAddress, nowNs);
    }
  }

  /** Takes the former value of a COMPARE_SWAP or FETCH_ADD; it acknowledges everything before it. */
  void onAtomicAcknowledge(RocePacket packet, long nowNs) {
    int psn = packet.psn();
    long sequence = sent.isUnderWay(psn) ? sent.find(psn) : sent.numbered();
    if (sequence == sent.numbered() || !sends.opcode(sequence).isAtomic()) {
      connection.counters.increment(Counter.RX_STALE_RESPONSE);
    } else if (acknowledgeUpTo(psn, nowNs)) {
      takeAtomicAcknowledge(sequence, packet, nowNs);
    }
  }

  void onTimeout(long nowNs) {
    if (retries.isTimedOut(nowNs)) {
      connection.counters.increment(Counter.LOCAL_ACK_TIMEOUT_ERR);
      impliedNakPsn = NO_PSN;
      retryFrom(sent.unackedPsn());
    }
  }

  /** Completes everything as flushed, as far as no copy is under way to its memory; the rest with a later call. */
  void flush() {
    retries.stop();
    while (!sends.isEmpty() && isInPlace(sends.oldest())) {
      connection.completeSend(statusInError(sends.oldest()));
    }
  }

  /** What was done before a request that failed has only waited for its bytes. */
  private CompletionStatus statusInError(long sequence) {
    if (failure == null || sequence > failed) {
      return CompletionStatus.WORK_REQUEST_FLUSHED;
    }
    return sequence == failed ? failure : CompletionStatus.SUCCESS;
  }

  /** What is under way tells nobody any more. */
  void close() {
    arrivals.close();
  }

  /** Some of a READ's bytes never came to their place. */
  private void onCopyFailed(int psn, long arrival) {
    long sequence = sent.find(psn);
    boolean flushed = failure == null ? connection.state() == QueuePairState.ERROR : sequence > failed;
    if (!flushed) {
      fail(sequence, CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
    }
  }

  private boolean isInPlace(long sequence) {
    return arrivals.hasEnded(sent.behind(sequence));
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
    return cursor != sends.posted() && (cursor < sent.numbered() || connection.mayBegin()) && !isHeldBack();
  }

  /**
   * Does what is to be done at this end, once, whether or not the cursor comes by again.
   *
   * @return whether it is done
   */
  private boolean passLocal() {
    if (cursor == sent.numbered()) {
      CompletionStatus status = execute(cursor);
      if (status != CompletionStatus.SUCCESS) {
        failInTurn(status);
        return false;
      }
      sent.number(cursorPsn);
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
    for (long sequence = sends.oldest(); sequence < sent.numbered() && sequence <= cursor; sequence++) {
      if (sends.opcode(sequence).isAnswered()) {
        int asked = sequence < cursor ? sent.packets(sequence) : (int) (cursorOffset / connection.mtuBytes);
        int answered = sent.acknowledgedPackets(sequence);
        if (asked > answered) {
          count += (asked + READ_REQUEST_PACKETS - 1) / READ_REQUEST_PACKETS - answered / READ_REQUEST_PACKETS;
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
    if (cursor == sent.numbered()) {
      sent.number(cursorPsn);
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

  private void transmitPayload(Frame out) {
    int inFlight = packetsUnderWay() + 1;
    boolean ackRequested = inFlight % ACK_EVERY_PACKETS == 0 || inFlight >= WINDOW_PACKETS;
    boolean last = PayloadPackets.write(connection, out, cursor, cursorOffset, cursorPsn, ackRequested);
    advance(1, last);
  }

  private void transmitRead(Frame out) {
    int packets = sent.packets(cursor);
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
    if (!sent.extendTo(cursorPsn)) {
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
    int missing = sent.firstMissingAnswer(psn);
    acknowledgeBefore(missing, nowNs);
    if (connection.state() == QueuePairState.ERROR) {
      return false;
    }
    if (missing == psn) {
      return true;
    }
    if (impliedNakPsn != missing && !retries.isWaiting()) {
      connection.counters.increment(Counter.IMPLIED_NAK_SEQ_ERR);
      impliedNakPsn = missing;
      retryFrom(missing);
    }
    return false;
  }

  private void takeReadResponse(long sequence, RocePacket packet, long payloadAddress, long nowNs) {
    int psn = packet.psn();
    long offset = (long) sent.packetOf(sequence, psn) * connection.mtuBytes;
    boolean read = sends.opcode(sequence) == SendOpcode.READ;
    long expectedBytes = read ? Math.min(connection.mtuBytes, sends.totalBytes(sequence) - offset) : 0;
    if (packet.payloadBytes() != expectedBytes) {
      fail(CompletionStatus.BAD_RESPONSE);
    } else if (!sends.locate(sequence, connection, localAccess(sends.opcode(sequence)))) {
      fail(CompletionStatus.LOCAL_PROTECTION_ERROR);
    } else {
      arrivals.begin(psn, 0, 0);
      sends.scatter(sequence, offset, payloadAddress, packet.payloadBytes(), arrivals);
      sent.completesBehind(sequence, arrivals.next());
      acknowledgeBefore(Psn.add(psn, 1), nowNs);
    }
  }

  private void takeAtomicAcknowledge(long sequence, RocePacket packet, long nowNs) {
    if (!sends.locate(sequence, connection, localAccess(sends.opcode(sequence)))) {
      fail(CompletionStatus.LOCAL_PROTECTION_ERROR);
      return;
    }
    Memory.putLong(connection.scratchAddress, packet.atomicAckOriginal());
    sends.scatter(sequence, 0, connection.scratchAddress, Long.BYTES, Copies.NOW);
    acknowledgeBefore(Psn.add(packet.psn(), 1), nowNs);
  }

  private void acknowledgeBefore(int psn, long nowNs) {
    if (psn == sent.unackedPsn()) {
      return;
    }
    sent.acknowledgeBefore(psn);
    impliedNakPsn = NO_PSN;
    retries.onProgress();
    completeAcknowledged();
    if (connection.state() == QueuePairState.ERROR) {
      return;
    }
    if (Psn.compare(psn, cursorPsn) > 0) {
      seek(psn);
    }
    retries.disarm();
    if (packetsUnderWay() > 0) {
      retries.arm(nowNs);
    }
  }

  private void completeAcknowledged() {
    while (sent.isOldestAcknowledged() && isInPlace(sends.oldest())) {
      connection.completeSend(CompletionStatus.SUCCESS);
    }
  }

  /** Those before the cursor that aren't acknowledged. */
  private int packetsUnderWay() {
    return Psn.distance(sent.unackedPsn(), cursorPsn);
  }

  /** While it waits it sends nothing, so a second RNR NAK for the same packet is no news and uses no retry. */
  private void onReceiverNotReady(int psn, long delayNs, long nowNs) {
    connection.counters.increment(Counter.RCVD_RNR_ERR);
    boolean repeated = retries.isWaiting() && psn == sent.unackedPsn();
    if (repeated || !acknowledgeUpTo(psn, nowNs)) {
      return;
    }
    if (!retries.takeForReceiver()) {
      connection.counters.increment(Counter.RNR_NAK_RETRY_ERR);
      fail(CompletionStatus.RECEIVER_NOT_READY_RETRY_EXCEEDED);
      return;
    }
    seek(psn);
    retries.waitUntil(nowNs + delayNs);
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
    if (retries.isWaiting()) {
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
    if (!retries.take()) {
      connection.counters.increment(Counter.RETRY_EXCEEDED_ERR);
      fail(CompletionStatus.RETRY_EXCEEDED);
      return;
    }
    seek(psn);
    retries.disarm();
  }

  /** Puts the cursor on a PSN from the first unacknowledged to the first never sent. */
  private void seek(int psn) {
    cursorPsn = psn;
    cursor = sent.find(psn);
    cursorOffset = cursor == sent.numbered() ? 0 : (long) sent.packetOf(cursor, psn) * connection.mtuBytes;
  }

  /** The oldest request that isn't acknowledged fails. */
  private void fail(CompletionStatus status) {
    fail(sent.oldestUnacknowledged(), status);
  }

  private void fail(long sequence, CompletionStatus status) {
    failed = sequence;
    failure = status;
    connection.enterError();
  }
}
