package io.burst.engine.sim;

import io.burst.engine.qp.Connection;
import io.burst.engine.qp.EventSink;
import io.burst.engine.qp.Path;
import io.burst.engine.qp.Queues;
import io.burst.engine.qp.ReceiveQueue;
import io.burst.engine.qp.SendQueue;
import io.burst.engine.sim.model.End;
import io.burst.engine.sim.model.Mismatch;
import io.burst.engine.sim.model.Pieces;
import io.burst.engine.sim.model.Receives;
import io.burst.engine.sim.model.Request;
import io.burst.engine.wire.Transport;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
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
  private final Receives posted = new Receives();
  /** How many receives are posted before there is a message for them. */
  private final int ahead;
  private final int salt;
  private final List<Completion> arrived = new ArrayList<>();
  private final SendRequest request = new SendRequest();
  private final ScatterGatherList list = new ScatterGatherList();

  private Application other;
  private int toPost;
  private long nextPostNs;
  /** When it gives its queue pair up. */
  private long failNs = Long.MAX_VALUE;
  private long removeNs = Long.MAX_VALUE;
  private boolean noticedFailure;
  private boolean removed;
  private int overwritten;
  /** When a send last completed, and when each was posted. */
  private long progressNs;
  private final List<Long> postedNs = new ArrayList<>();

  /**
   * @param outgoing what it asks of the other end
   * @param incoming what the other end asks of it
   */
  Application(
      SplittableRandom random, Peer peer, int domain, Work outgoing, Work incoming, Terms terms, int toPost,
      Histogram histogram) {
    this.random = random;
    this.peer = peer;
    this.outgoing = outgoing;
    this.incoming = incoming;
    this.terms = terms;
    this.toPost = toPost;
    this.histogram = histogram;
    sendDepth = 1 + random.nextInt(DEEPEST);
    sends = new SendQueue(sendDepth);
    receiveDepth = 1 + random.nextInt(DEEPEST);
    receives = new ReceiveQueue(receiveDepth);
    ahead = random.nextInt(MOST_AHEAD);
    salt = random.nextInt();
    Queues queues = new Queues(sends, receives, peer.sendCompletions, peer.receiveCompletions);
    queuePair = peer.endpoint.createConnection(Transport.RC, domain, queues, EventSink.NONE);
    queuePair.initialize(incoming.allowed());
    end = new End(peer.host, domain, incoming.allowed(), posted, terms.faulty());
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
    queuePair.readyToSend(
        new ReadyToSend(sendPsn, terms.timeout(), terms.retryCount(), terms.rnrRetryCount(), depth));
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
    return Math.min(Math.min(failNs, removeNs), hasToPost() ? nextPostNs : Long.MAX_VALUE);
  }

  boolean isDone() {
    boolean otherIsFine = !other.end.hasFailed() || end.hasFailed();
    return removed || toPost == 0 && end.isDone() && otherIsFine;
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
    if (nowNs < nextPostNs || !hasToPost()) {
      return;
    }
    nextPostNs = nowNs + 1 + random.nextLong(terms.mostPauseNs());
    for (int i = random.nextInt(1 + MOST_AT_ONCE); i > 0 && toPost > 0; i--) {
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
    overwriteSends(nowNs);
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

  private static int rank(Completion completion) {
    return switch (completion.status) {
      case SUCCESS -> 0;
      case WORK_REQUEST_FLUSHED -> 2;
      default -> 1;
    };
  }

  private boolean hasToPost() {
    return toPost > 0 || hasToPostReceive();
  }

  private boolean hasToPostReceive() {
    return posted.posted() < incoming.consuming() + ahead
        && incoming.hasReceive(posted.posted())
        && posted.outstanding() < receiveDepth
        && !end.hasFailed();
  }

  private void postSend(long nowNs) {
    if (queuePair.outstandingSends() == sendDepth) {
      Mismatch.unless(!sends.post(request), "a full send queue took a request");
      return;
    }
    Request next = outgoing.next();
    int index = end.post(next);
    request.workRequestId = identifier(index, 0);
    request.opcode = next.opcode();
    request.signaled = next.signaled();
    request.fenced = next.fenced();
    request.immediate = next.immediate();
    request.remoteAddress = other.peer.address(next.target());
    request.remoteKey = next.remoteKey();
    request.swapOrAdd = next.swapOrAdd();
    request.compare = next.compare();
    fill(request.buffers, next.pieces());
    Mismatch.unless(sends.post(request), "a send queue with room took no request");
    postedNs.add(nowNs);
    toPost--;
    histogram.add("operations", next.opcode());
    histogram.add("pieces", next.pieces().count());
    histogram.add("lengths in packets", packets(next.pieces().totalBytes()));
  }

  private String packets(int bytes) {
    int packets = (bytes + terms.mtu().bytes() - 1) / terms.mtu().bytes();
    return packets < 4 ? Integer.toString(packets) : packets < 16 ? "04-15" : packets < 32 ? "16-31" : "32+";
  }

  private void postReceive() {
    Pieces pieces = incoming.receive(posted.posted());
    int index = posted.post(pieces);
    fill(list, pieces);
    Mismatch.unless(receives.post(identifier(index, 1), list), "a receive queue with room took no receive");
  }

  private void fill(ScatterGatherList into, Pieces pieces) {
    into.clear();
    for (int i = 0; i < pieces.count(); i++) {
      into.add(peer.address(pieces.offset()[i]), pieces.lengthBytes()[i], pieces.key()[i]);
    }
  }

  private long identifier(int index, int receive) {
    return (long) salt << Integer.SIZE | (long) index << 1 | receive;
  }

  private void check(Completion completion, long nowNs) {
    Mismatch.unless(
        completion.workRequestId >> Integer.SIZE == salt, "nobody has posted %x", completion.workRequestId);
    int index = (int) completion.workRequestId >>> 1;
    histogram.add("statuses", completion.status);
    if ((completion.workRequestId & 1) != 0) {
      end.receiveCompleted(index, completion);
      peer.host.store(posted.get(index), Arena.someBytes(random, posted.get(index).totalBytes()));
    } else {
      checkTime(index, completion.status, nowNs);
      end.sendCompleted(index, completion);
      progressNs = nowNs;
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
  private void overwriteSends(long nowNs) {
    while (overwritten < end.posted() - end.outstandingSends()) {
      Pieces pieces = end.request(overwritten++).pieces();
      peer.host.store(pieces, Arena.someBytes(random, pieces.totalBytes()));
      progressNs = nowNs;
    }
  }
}
