package io.burst.engine.sim;

import io.burst.engine.qp.Connection;
import io.burst.engine.qp.Path;
import io.burst.engine.qp.Queues;
import io.burst.engine.qp.ReceiveQueue;
import io.burst.engine.qp.SendQueue;
import io.burst.engine.sim.model.Binding;
import io.burst.engine.sim.model.End;
import io.burst.engine.sim.model.Mismatch;
import io.burst.engine.sim.model.Pieces;
import io.burst.engine.sim.model.Receives;
import io.burst.engine.sim.model.Request;
import io.burst.engine.wire.Transport;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.MemoryWindowBinding;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.ScatterGatherList;
import io.burst.verbs.SendRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * An application on one end of a reliable connection: posts requests and receives at random moments, overwrites their
 * buffers when they have completed, and shows the model all that it sees. Belongs to the thread of its run.
 */
final class Application {
  private static final int DEEPEST = 8;
  private static final int MOST_AHEAD = 8;
  private static final int MOST_AT_ONCE = 3;
  private static final int SELDOM = 30;
  private static final int OFTEN = 4;
  private static final int POSTS_AFTER_FAILURE = 3;
  /** The longest time from a failure to the other application's hearing of it, in local ACK timeouts. */
  private static final int NEWS_TIMEOUTS = 8;

  final Connection queuePair;
  final End end;

  private final SplittableRandom random;
  private final Peer peer;
  private final Terms terms;
  private final Work outgoing;
  private final Work incoming;
  private final Histogram histogram;
  private final SendQueue sends;
  private final int sendDepth;
  private final ReceiveQueue receives;
  private final int receiveDepth;
  private final Receives posted;
  private final SharedQueue shared;
  /** How many receives are posted before there is a message for them. */
  private final int ahead;
  private final Identifiers identifiers;
  private final List<AsyncEventType> raised = new ArrayList<>();
  private final List<Completion> arrived = new ArrayList<>();
  private final SendRequest request = new SendRequest();
  private final ScatterGatherList list = new ScatterGatherList();

  private Application other;
  /** How it gets ready to send, and when; null when it is. */
  private ReadyToSend start;
  private long startNs;
  /** What came before it was ready. */
  private boolean heardEarly;
  private boolean establishedTold;
  private boolean draining;
  private boolean drained;
  private long resumeNs = Long.MAX_VALUE;
  private int doneWhenDrained;
  private int toPost;
  private long nextPostNs;
  /** When it gives its queue pair up. */
  private long failNs = Long.MAX_VALUE;
  private long removeNs = Long.MAX_VALUE;
  private boolean noticedFailure;
  private boolean removed;
  private int finished;
  /** When a send last completed, and when each was posted. */
  private long progressNs;
  private final List<Long> postedNs = new ArrayList<>();

  /**
   * @param outgoing what it asks of the other end
   * @param incoming what the other end asks of it
   */
  Application(
      SplittableRandom random, Peer peer, Work outgoing, Work incoming, Terms terms, SharedQueue shared, int toPost,
      Histogram histogram) {
    this.random = random;
    this.peer = peer;
    this.outgoing = outgoing;
    this.incoming = incoming;
    this.terms = terms;
    this.shared = shared;
    this.toPost = toPost;
    this.histogram = histogram;
    sendDepth = 1 + random.nextInt(DEEPEST);
    sends = new SendQueue(sendDepth, outgoing.maxInlineBytes());
    receiveDepth = 1 + random.nextInt(DEEPEST);
    receives = shared == null ? new ReceiveQueue(receiveDepth) : shared.receives;
    posted = shared == null ? Receives.own() : shared.posted;
    ahead = random.nextInt(MOST_AHEAD);
    identifiers = new Identifiers(random.nextInt());
    int domain = outgoing.own.domain;
    Queues queues = new Queues(sends, receives, peer.sendCompletions.ring, peer.receiveCompletions.ring);
    queuePair = peer.endpoint.createConnection(Transport.RC, domain, queues, raised::add);
    queuePair.initialize(incoming.allowed());
    end = new End(peer.host, domain, incoming.allowed(), posted, terms.faulty());
    if (shared != null) {
      shared.addUser(incoming);
    }
  }

  /**
   * @param depth READs and atomics that both ends have agreed on
   * @param otherDepth the same for what the other end asks
   */
  void connect(Application other, Path path, int sendPsn, int receivePsn, int depth, int otherDepth) {
    this.other = other;
    int number = other.queuePair.number();
    queuePair.readyToReceive(
        new ReadyToReceive(number, receivePsn, terms.mtu(), null, otherDepth, terms.rnrTimer()), path);
    start = new ReadyToSend(sendPsn, terms.timeout(), terms.retryCount(), terms.rnrRetryCount(), depth);
    startNs = random.nextLong(2 * terms.timeoutNs());
  }

  /** The memory that the other end asks for. */
  Target target() {
    return outgoing.own;
  }

  void failAt(long nowNs) {
    failNs = Math.min(failNs, nowNs);
  }

  /** Its queue pair goes away then, without a word. */
  void removeAt(long nowNs) {
    removeNs = nowNs;
  }

  long nextActNs() {
    if (removed || isDone()) {
      return Long.MAX_VALUE;
    }
    long next = Math.min(Math.min(failNs, removeNs), start == null ? resumeNs : startNs);
    return Math.min(next, hasToPost() ? nextPostNs : Long.MAX_VALUE);
  }

  boolean isDone() {
    boolean otherIsFine = !other.end.hasFailed() || end.hasFailed();
    boolean wentOn = !draining || drained || end.hasFailed();
    return removed || toPost == 0 && end.isDone() && otherIsFine && wentOn && start == null;
  }

  void act(long nowNs) {
    if (removed) {
      return;
    }
    if (nowNs >= removeNs) {
      remove();
      return;
    }
    if (nowNs >= failNs) {
      failNs = Long.MAX_VALUE;
      giveUp();
    }
    changeState(nowNs);
    if (nowNs < nextPostNs || !hasToPost()) {
      return;
    }
    changeMemory();
    nextPostNs = nowNs + 1 + random.nextLong(terms.mostPauseNs());
    for (int i = random.nextInt(1 + MOST_AT_ONCE); i > 0 && toPost > 0 && start == null; i--) {
      postSend(nowNs);
    }
    for (int i = 1 + random.nextInt(MOST_AT_ONCE); i > 0 && hasToPostReceive(); i--) {
      postReceive();
    }
  }

  /** The application's own end of it; idempotent. */
  void giveUp() {
    if (!removed) {
      end.fail();
      queuePair.enterError();
    }
  }

  void take(Completion completion) {
    arrived.add(completion);
  }

  /**
   * Successes first, then what failed by itself: where two completion queues are, one may tell of the end before the
   * other tells of what was done before.
   */
  void check(long nowNs) {
    arrived.sort(Comparator.comparingInt(Application::rank));
    for (Completion completion : arrived) {
      check(completion, nowNs);
    }
    arrived.clear();
    if (!removed) {
      end.sendsLeft(end.posted() - queuePair.outstandingSends());
    }
    finishSends(nowNs);
    raised.forEach(type -> check(type, nowNs));
    raised.clear();
    Mismatch.unless(
        !drained || queuePair.state() != QueuePairState.SEND_QUEUE_DRAINED || doneWhenDrained == done(),
        "a send completed although the queue was drained");
    if (end.hasFailed() && !noticedFailure) {
      noticedFailure = true;
      toPost = Math.min(toPost, POSTS_AFTER_FAILURE);
      other.failAt(nowNs + 1 + random.nextLong(NEWS_TIMEOUTS * terms.timeoutNs()));
    }
  }

  void checkEnd() {
    end.checkEnd();
    QueuePairState state = queuePair.state();
    Mismatch.unless(removed || state == QueuePairState.ERROR, "a queue pair that was given up is in state %s", state);
  }

  private void remove() {
    removed = true;
    end.goAway();
    peer.endpoint.remove(queuePair);
  }

  /** Where it stands, for who looks into a run that hangs. */
  @Override
  public String toString() {
    String todo = toPost + " to post, " + end.outstandingSends() + " under way";
    return queuePair.state() + " " + (isDone() ? "done" : todo);
  }

  private static int rank(Completion completion) {
    return switch (completion.status) {
      case SUCCESS -> 0;
      case WORK_REQUEST_FLUSHED -> 2;
      default -> 1;
    };
  }

  private void check(AsyncEventType type, long nowNs) {
    histogram.add("events", type);
    switch (type) {
      case COMMUNICATION_ESTABLISHED -> {
        Mismatch.unless(start != null && !establishedTold, "an event %s that isn't due", type);
        establishedTold = true;
      }
      case SEND_QUEUE_DRAINED -> {
        Mismatch.unless(draining && !drained, "an event %s that isn't due", type);
        drained = true;
        doneWhenDrained = done();
        resumeNs = nowNs + random.nextLong(2 * terms.timeoutNs());
      }
      default -> end.raised(type);
    }
  }

  /** How many sends have completed. */
  private int done() {
    return end.posted() - end.outstandingSends();
  }

  /** Of what was flushed packets may still be under way. */
  private int doneForSure() {
    return end.hasFailed() ? 0 : done();
  }

  /** Gets ready to send, drains the queue at random, and goes on when it is drained. */
  private void changeState(long nowNs) {
    QueuePairState state = queuePair.state();
    if (start != null && nowNs >= startNs) {
      Mismatch.unless(establishedTold || !heardEarly, "no event tells of what came before the queue pair was ready");
      if (state == QueuePairState.READY_TO_RECEIVE) {
        queuePair.readyToSend(start);
      }
      start = null;
    } else if (drained && nowNs >= resumeNs) {
      if (state == QueuePairState.SEND_QUEUE_DRAINED) {
        queuePair.resume();
      }
      draining = false;
      drained = false;
      resumeNs = Long.MAX_VALUE;
    } else if (!draining && toPost > 0 && state == QueuePairState.READY_TO_SEND && random.nextInt(SELDOM) == 0) {
      draining = true;
      queuePair.drain();
    }
  }

  /** Registers memory anew that nobody is using. */
  private void changeMemory() {
    boolean unused = other.doneForSure() == other.end.posted() && target().window.isFree();
    if (unused && !end.hasFailed() && random.nextInt(OFTEN) == 0) {
      target().reregister();
      histogram.add("memory", "registered anew");
    }
  }

  private boolean hasToPost() {
    return toPost > 0 || hasToPostReceive();
  }

  private boolean hasToPostReceive() {
    return shared == null
        && posted.posted() < incoming.consuming() + ahead
        && incoming.hasReceive(posted.posted())
        && posted.outstanding() < receiveDepth
        && !end.hasFailed();
  }

  private void postSend(long nowNs) {
    if (queuePair.outstandingSends() == sendDepth) {
      Mismatch.unless(!sends.post(request), "a full send queue took a request");
      return;
    }
    Request next = outgoing.next(other.doneForSure());
    int index = end.post(next);
    fill(next, index);
    Mismatch.unless(sends.post(request), "a send queue with room took no request");
    if (next.inline) {
      overwrite(next.pieces);
    }
    postedNs.add(nowNs);
    toPost--;
    count(next);
  }

  private void fill(Request next, int index) {
    request.workRequestId = identifiers.send(index);
    request.opcode = next.opcode;
    request.signaled = next.signaled;
    request.fenced = next.fenced;
    request.inline = next.inline;
    request.solicited = next.solicited;
    request.immediate = next.immediate;
    request.remoteAddress = other.peer.name(next.remoteKey, next.target);
    request.remoteKey = next.remoteKey;
    request.swapOrAdd = next.swapOrAdd;
    request.compare = next.compare;
    request.invalidateKey = next.invalidateKey;
    if (next.binding != null) {
      fill(request.binding, next.binding);
    }
    peer.fill(request.buffers, next.pieces);
  }

  private void fill(MemoryWindowBinding into, Binding binding) {
    into.windowKey = binding.windowKey();
    into.newKey = binding.newKey();
    into.regionKey = binding.regionKey();
    into.address = peer.name(binding.regionKey(), binding.start());
    into.lengthBytes = binding.lengthBytes();
    into.access.clear();
    into.access.addAll(binding.access());
    peer.name(binding.newKey(), binding.start(), binding.access());
  }

  private void count(Request next) {
    histogram.add("operations", next.opcode);
    histogram.add("pieces", next.pieces.count());
    histogram.add("lengths in packets", packets(next.pieces.totalBytes()));
    if (next.inline) {
      histogram.add("memory", "inline");
    }
  }

  private void overwrite(Pieces pieces) {
    peer.host.store(pieces, Arena.someBytes(random, pieces.totalBytes()));
  }

  private String packets(int bytes) {
    int packets = (bytes + terms.mtu().bytes() - 1) / terms.mtu().bytes();
    return packets < 4 ? Integer.toString(packets) : packets < 16 ? "04-15" : packets < 32 ? "16-31" : "32+";
  }

  private void postReceive() {
    Pieces pieces = incoming.receive(posted.posted());
    int index = posted.post(pieces);
    peer.fill(list, pieces);
    Mismatch.unless(receives.post(identifiers.receive(index), list), "a receive queue with room took no receive");
  }

  private void check(Completion completion, long nowNs) {
    histogram.add("statuses", completion.status);
    boolean failed = completion.status != CompletionStatus.SUCCESS;
    if (Identifiers.isReceive(completion.workRequestId)) {
      Identifiers owner = shared == null ? identifiers : shared.identifiers;
      int index = owner.index(completion.workRequestId);
      end.receiveCompleted(index, completion);
      received(completion);
      overwrite(posted.get(index));
      peer.receiveCompletions.polled(failed || end.lastReceivedWasSolicited());
    } else {
      int index = identifiers.index(completion.workRequestId);
      checkTime(index, completion.status, nowNs);
      end.sendCompleted(index, completion);
      peer.sendCompletions.polled(failed);
      progressNs = nowNs;
    }
  }

  private void received(Completion completion) {
    if (completion.status == CompletionStatus.SUCCESS) {
      heardEarly |= start != null;
      if (completion.hasInvalidatedKey) {
        target().window.invalidated();
      }
    }
  }

  /** Retries take their time, and no more, where nothing but a time-out can use them up. */
  private void checkTime(int index, CompletionStatus status, long nowNs) {
    long sinceNs = nowNs - Math.max(progressNs, postedNs.get(index));
    if (terms.faulty()) {
      return;
    }
    if (status == CompletionStatus.RECEIVER_NOT_READY_RETRY_EXCEEDED) {
      Mismatch.unless(sinceNs >= terms.rnrRetryCount() * terms.rnrNs(), "gave up on receives after %d ns", sinceNs);
    } else if (status == CompletionStatus.RETRY_EXCEEDED) {
      long retriesNs = (terms.retryCount() + 1) * terms.timeoutNs();
      Mismatch.unless(sinceNs >= retriesNs, "gave up on a peer after %d ns", sinceNs);
    }
  }

  /** What has completed is the application's again. */
  private void finishSends(long nowNs) {
    while (finished < done()) {
      Request request = end.request(finished++);
      overwrite(request.pieces);
      progressNs = nowNs;
      if (!end.hasFailed()) {
        outgoing.completed(request);
      }
    }
  }
}
