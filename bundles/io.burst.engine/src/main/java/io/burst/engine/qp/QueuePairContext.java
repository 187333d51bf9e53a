package io.burst.engine.qp;

import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.PacketWriter;
import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.Transport;
import io.burst.spi.Frame;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionOpcode;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.QueuePairState;
import java.util.Set;

/**
 * A queue pair: its state, and what every service has. Owned by one thread, save the posting side of its queues and
 * {@link #state}, which any thread may read.
 *
 * <p>Times are nanoseconds of one clock that starts near 0 and never goes back.
 */
public abstract class QueuePairContext {
  private static final int MEMBERSHIP_BIT = 0x8000;
  /** Ours is the default partition, full member: it matches either kind of member of the same partition. */
  private static final int DEFAULT_PARTITION = 0x7FFF;

  /** With DF set an IPv4 packet needs no identification (RFC 6864), and a UDP socket would put this one too. */
  private static final int IP_IDENTIFICATION = 0;

  /** As RNICs report it (max_msg_sz). */
  static final long LONGEST_MESSAGE_BYTES = 1L << 31;

  final SendQueue sends;
  final CurrentReceive receive;
  final Counters counters;
  /** Eight bytes that an atomic's value is laid out in before it goes to its place. */
  final long scratchAddress;
  int mtuBytes;

  private final int number;
  private final int domain;
  private final ReceiveQueue receives;
  private final CompletionRing sendCompletions;
  private final CompletionRing receiveCompletions;
  private final EventSink events;
  private final MemoryTable memory;
  private final PacketWriter writer;
  private final Completion completion = new Completion();

  private final Copies copies;
  private Arrivals arrivals;
  /** A copy failed: the next receive completes with that, and all behind it are flushed. */
  private boolean copyFailed;
  private boolean copyFailureTold;
  private boolean lastReceiveTold;

  private volatile QueuePairState state = QueuePairState.RESET;
  private int remoteAccess;
  private boolean drainedTold;

  QueuePairContext(int number, int domain, Queues queues, EventSink events, Endpoint endpoint) {
    this.number = number;
    this.domain = domain;
    this.events = events;
    sends = queues.sends();
    receives = queues.receives();
    receive = new CurrentReceive(this, receives);
    sendCompletions = queues.sendCompletions();
    receiveCompletions = queues.receiveCompletions();
    memory = endpoint.memory;
    counters = endpoint.counters;
    writer = endpoint.writer;
    scratchAddress = endpoint.scratchAddress;
    copies = endpoint.copies;
    arrivals = newArrivals();
  }

  private Arrivals newArrivals() {
    return new Arrivals(
        copies,
        new Arrivals.Listener() {
          @Override
          public void onArrived(Completion completion, boolean solicited) {
            QueuePairContext.this.onArrived(completion, solicited);
          }

          @Override
          public void onCopyFailed(int psn, long arrival) {
            if (!copyFailed) {
              copyFailed = true;
              refuseFrom(psn, arrival);
            }
          }
        });
  }

  public int number() {
    return number;
  }

  public QueuePairState state() {
    return state;
  }

  public abstract Transport transport();

  /** The way to the peer; null before RTR, and for datagrams, which go anywhere. */
  public abstract Path path();

  /** The peer's queue pair; 0 before RTR and for datagrams. */
  public abstract int destinationNumber();

  /** The next PSN to send. */
  public abstract int sendPsn();

  /** The next PSN expected; 0 for datagrams, which come in any order. */
  public abstract int receivePsn();

  /** Sends posted and not completed. */
  public int outstandingSends() {
    return sends.outstanding();
  }

  /** @param remoteAccess what the peer may do through it */
  public void initialize(Set<AccessFlag> remoteAccess) {
    this.remoteAccess = Region.mask(remoteAccess);
    state = QueuePairState.INIT;
  }

  /** Begins no further send, and tells when those that had begun are done. */
  public void drain() {
    drainedTold = false;
    state = QueuePairState.SEND_QUEUE_DRAINED;
  }

  /** Goes on after {@link #drain}, or after a send of an unreliable service failed. */
  public void resume() {
    state = QueuePairState.READY_TO_SEND;
  }

  /** As new; what was outstanding ends without a completion. */
  public void reset() {
    state = QueuePairState.RESET;
    sends.discard();
    if (receive.isHeld()) {
      receive.release();
    }
    if (!receives.isShared()) {
      receives.discard();
    }
    // Copies that are under way still tell the old one, which tells nobody.
    arrivals.close();
    arrivals = newArrivals();
    copyFailed = false;
    copyFailureTold = false;
    lastReceiveTold = false;
    forget();
  }

  /** Completes everything outstanding as flushed; what is posted later is flushed too. */
  public void enterError() {
    state = QueuePairState.ERROR;
    flushSends();
    flushReceives();
  }

  /** The send queue stops, what is posted to it is flushed, and receives go on (SQE). */
  void enterSendError() {
    if (state != QueuePairState.ERROR) {
      state = QueuePairState.SEND_QUEUE_ERROR;
    }
    flushSends();
  }

  /**
   * Takes a packet whose lengths and ICRC are right and whose destination is this queue pair's number.
   *
   * @param bufferAddress where the packet's buffer lies in memory
   */
  void onPacket(RocePacket packet, long bufferAddress, long nowNs) {
    Counter refusal = refusal(packet);
    if (refusal != null) {
      counters.increment(refusal);
    } else {
      take(packet, bufferAddress, nowNs);
    }
  }

  /** Writes the next packet; answers first, since the peer waits for them. False when there is none now. */
  boolean pollTransmit(Frame out, long nowNs) {
    if (pollAnswer(out)) {
      return true;
    }
    switch (state) {
      case READY_TO_SEND:
        return pollRequest(out, nowNs);
      case SEND_QUEUE_DRAINED:
        return pollLastRequests(out, nowNs);
      case ERROR:
        flushSends();
        flushReceives();
        return false;
      case SEND_QUEUE_ERROR:
        flushSends();
        return false;
      default:
        return false;
    }
  }

  private boolean pollLastRequests(Frame out, long nowNs) {
    boolean any = pollRequest(out, nowNs);
    if (!drainedTold && !hasBegunSends()) {
      drainedTold = true;
      raise(AsyncEventType.SEND_QUEUE_DRAINED);
    }
    return any;
  }

  /** Forgets the conversation, as before RTR. */
  abstract void forget();

  /** The bytes of the packet with this PSN never came to their place: the queue pair can't go on. */
  void refuseFrom(int psn, long arrival) {
    raise(AsyncEventType.QUEUE_PAIR_FATAL);
    enterError();
  }

  /** Why a packet of this service isn't for this queue pair, or null. */
  abstract Counter foreign(RocePacket packet);

  /** Takes a packet of this service from a peer that may send it. */
  abstract void take(RocePacket packet, long bufferAddress, long nowNs);

  /** Writes the next answer to the peer; unreliable services have none. */
  boolean pollAnswer(Frame out) {
    return false;
  }

  /** Writes the next packet of a request; begins none unless {@link #mayBegin}. */
  abstract boolean pollRequest(Frame out, long nowNs);

  /** Whether a request was sent in part, or isn't acknowledged. */
  abstract boolean hasBegunSends();

  /** Unreliable services wait for nothing. */
  void onTimeout(long nowNs) {}

  long nextDeadlineNs() {
    return Retries.NEVER;
  }

  /** Completes all sends as flushed. */
  void flushSends() {
    while (!sends.isEmpty()) {
      completeSend(CompletionStatus.WORK_REQUEST_FLUSHED);
    }
  }

  /** What is coming in and isn't in place yet. */
  Arrivals arrivals() {
    return arrivals;
  }

  boolean mayBegin() {
    return state == QueuePairState.READY_TO_SEND;
  }

  /** The first receive that a failed copy concerns says so. */
  private CompletionStatus flushStatus() {
    boolean first = copyFailed && !copyFailureTold;
    copyFailureTold |= first;
    return first ? CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR : CompletionStatus.WORK_REQUEST_FLUSHED;
  }

  /** Completes all receives as flushed, of shared ones only that which is held, once no copy is under way to one. */
  private void flushReceives() {
    while (arrivals.isEmpty() && (receives.isShared() ? receive.isHeld() : receive.hold())) {
      completeReceive(flushStatus());
    }
    if (receives.isShared() && arrivals.isEmpty() && !lastReceiveTold) {
      lastReceiveTold = true;
      raise(AsyncEventType.LAST_RECEIVE_REACHED);
    }
  }

  void raise(AsyncEventType type) {
    events.raise(type);
  }

  void setState(QueuePairState state) {
    this.state = state;
  }

  Region find(int key, long address, long lengthBytes, int access) {
    return memory.find(domain, number, key, address, lengthBytes, access);
  }

  boolean bind(WindowBinding binding) {
    return memory.bind(binding, domain, number);
  }

  /** Whether the key is of a window that was bound here and may be taken away. */
  boolean isOwnWindow(int key) {
    return memory.isWindow(key, domain, number);
  }

  /** Takes a window away that {@link #isOwnWindow}. */
  void invalidate(int key) {
    memory.invalidate(key);
  }

  /** Whether the peer may do this through the queue pair. */
  boolean allows(int access) {
    return (remoteAccess & access) == access;
  }

  /** Packets of a message; one of no bytes is one packet too. */
  int packets(long lengthBytes) {
    return lengthBytes == 0 ? 1 : (int) ((lengthBytes - 1) / mtuBytes) + 1;
  }

  PacketWriter begin(Frame out, Path to, int destinationNumber, Opcode opcode, int psn) {
    out.nextHop = to.nextHop();
    writer.begin(out.buffer, Frame.HEADROOM_BYTES, to.flow(), opcode, destinationNumber, psn);
    return writer;
  }

  void end(Frame out, int payloadBytes) {
    out.lengthBytes = writer.end(payloadBytes, IP_IDENTIFICATION);
    counters.increment(Counter.SENT_PKTS);
  }

  /** Completes the oldest send; a silent one only when it failed. */
  void completeSend(CompletionStatus status) {
    long sequence = sends.oldest();
    boolean success = status == CompletionStatus.SUCCESS;
    if (!success) {
      counters.increment(Counter.REQ_CQE_ERROR);
    }
    boolean silent = success && !sends.isSignaled(sequence);
    beginCompletion(sends.opcode(sequence).completion(), sends.workRequestId(sequence), status);
    completion.lengthBytes = (int) sends.totalBytes(sequence);
    sends.freeOldest();
    if (!silent) {
      push(sendCompletions, completion, false);
    }
  }

  /** Completes the receive at hand with a failure. */
  void completeReceive(CompletionStatus failure) {
    counters.increment(Counter.RESP_CQE_ERROR);
    beginCompletion(CompletionOpcode.RECEIVE, receive.release(), failure);
    arrivals.complete(completion, false);
  }

  /**
   * Completes the receive at hand.
   *
   * @param packet the one that ended the message: it may have an immediate, a key that it took away, or a source
   */
  void completeReceive(CompletionOpcode opcode, int lengthBytes, RocePacket packet) {
    beginCompletion(opcode, receive.release(), CompletionStatus.SUCCESS);
    completion.lengthBytes = lengthBytes;
    if (packet.opcode().hasImmediate()) {
      completion.hasImmediate = true;
      completion.immediate = packet.immediate();
    }
    if (packet.opcode().hasInvalidate()) {
      completion.hasInvalidatedKey = true;
      completion.invalidatedKey = packet.invalidateKey();
    }
    if (packet.opcode().transport() == Transport.UD) {
      completion.hasGlobalRouteHeader = true;
      completion.sourceQueuePairNumber = packet.dethSourceQpn();
    }
    arrivals.complete(completion, packet.solicited());
  }

  private void onArrived(Completion arrived, boolean solicited) {
    if (copyFailed) {
      arrived.status = flushStatus();
    }
    push(receiveCompletions, arrived, solicited);
  }

  private void beginCompletion(CompletionOpcode opcode, long workRequestId, CompletionStatus status) {
    completion.workRequestId = workRequestId;
    completion.status = status;
    completion.opcode = opcode;
    completion.queuePairNumber = number;
    completion.lengthBytes = 0;
    completion.hasImmediate = false;
    completion.hasInvalidatedKey = false;
    completion.hasGlobalRouteHeader = false;
    completion.sourceQueuePairNumber = 0;
  }

  /** A completion that found no room is lost, and with it the order: nothing more may be executed. */
  private void push(CompletionRing ring, Completion completion, boolean solicited) {
    ring.push(completion, solicited);
    if (ring.isOverrun() && state != QueuePairState.ERROR) {
      enterError();
    }
  }

  private boolean receivesPackets() {
    return switch (state) {
      case READY_TO_RECEIVE, READY_TO_SEND, SEND_QUEUE_DRAINED, SEND_QUEUE_ERROR -> true;
      case RESET, INIT, ERROR -> false;
    };
  }

  /** Why the packet is dropped without any effect, or null. */
  private Counter refusal(RocePacket packet) {
    if (!receivesPackets()) {
      return Counter.RX_WRONG_STATE;
    }
    if (packet.opcode().transport() != transport()) {
      return Counter.RX_WRONG_TRANSPORT;
    }
    if ((packet.partitionKey() & ~MEMBERSHIP_BIT) != DEFAULT_PARTITION) {
      return Counter.RX_BAD_PKEY;
    }
    return foreign(packet);
  }
}
