package io.burst.engine.sim;

import io.burst.engine.qp.Connection;
import io.burst.engine.qp.Path;
import io.burst.engine.sim.model.Binding;
import io.burst.engine.sim.model.End;
import io.burst.engine.sim.model.Mismatch;
import io.burst.engine.sim.model.Request;
import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Flow;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.PacketWriter;
import io.burst.engine.wire.Psn;
import io.burst.engine.wire.Transport;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.MemoryWindowBinding;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.SendRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** An application on one end of a reliable connection. Belongs to the thread of its run. */
final class ReliableApplication extends Application {
  private static final int MOST_AHEAD = 8;
  private static final int MOST_AT_ONCE = 3;
  private static final int SELDOM = 30;
  private static final int OFTEN = 4;
  private static final int POSTS_AFTER_FAILURE = 3;
  /** The longest time from a failure to the other application's hearing of it, in local ACK timeouts. */
  private static final int NEWS_TIMEOUTS = 8;
  private static final int LONGEST_ANSWER_BYTES = 128;
  private static final int[] FORGED_SYNDROMES = {
    Aeth.ACK, Aeth.NAK_SEQUENCE_ERROR, Aeth.NAK_REMOTE_ACCESS_ERROR, Aeth.rnrNak(1)
  };

  private final Connection queuePair;
  final End end;

  private final Terms terms;
  private final Work outgoing;
  private final Work incoming;
  /** How many receives are posted before there is a message for them. */
  private final int ahead;
  private final SendRequest request = new SendRequest();

  private ReliableApplication other;
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
  private int firstPsn;
  private int toPost;
  private long nextPostNs;
  /** When it gives its queue pair up. */
  private long failNs = Long.MAX_VALUE;
  private long removeNs = Long.MAX_VALUE;
  private boolean noticedFailure;
  private long failedNs;
  private boolean removed;
  private long removedNs;
  /** When it was last allowed to send again. */
  private long goneOnNs;
  private int finished;
  /** When a send last completed, and when each was posted. */
  private long progressNs;
  private final List<Long> postedNs = new ArrayList<>();

  /**
   * @param outgoing what it asks of the other end
   * @param incoming what the other end asks of it
   */
  ReliableApplication(
      SplittableRandom random, Peer peer, Work outgoing, Work incoming, Terms terms, SharedQueue shared, int toPost,
      Histogram histogram) {
    super(random, peer, outgoing.own.domain, outgoing.maxInlineBytes(), shared, histogram);
    this.outgoing = outgoing;
    this.incoming = incoming;
    this.terms = terms;
    this.toPost = toPost;
    ahead = random.nextInt(MOST_AHEAD);
    queuePair = peer.endpoint.createConnection(Transport.RC, domain, queues(), this::event);
    queuePair.initialize(incoming.allowed());
    end = new End(peer.host, domain, incoming.allowed(), posted, terms.faulty());
    if (shared != null) {
      shared.addUser(incoming::consuming);
    }
  }

  /**
   * @param depth READs and atomics that both ends have agreed on
   * @param otherDepth the same for what the other end asks
   */
  void connect(ReliableApplication other, Path path, int sendPsn, int receivePsn, int depth, int otherDepth) {
    this.other = other;
    int number = other.queuePair().number();
    queuePair.readyToReceive(
        new ReadyToReceive(number, receivePsn, terms.mtu(), null, otherDepth, terms.rnrTimer()), path);
    firstPsn = sendPsn;
    start = new ReadyToSend(sendPsn, terms.timeoutCode(), terms.retryCount(), terms.rnrRetryCount(), depth);
    startNs = random.nextLong(2 * terms.timeoutNs());
  }

  @Override
  Connection queuePair() {
    return queuePair;
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

  @Override
  long nextActNs() {
    if (removed || isDone()) {
      return Long.MAX_VALUE;
    }
    long next = Math.min(Math.min(failNs, removeNs), start == null ? resumeNs : startNs);
    return Math.min(next, hasToPost() ? nextPostNs : Long.MAX_VALUE);
  }

  @Override
  boolean isDone() {
    boolean otherIsFine = !other.end.hasFailed() || end.hasFailed();
    boolean wentOn = !draining || drained || end.hasFailed();
    return removed || toPost == 0 && end.isDone() && otherIsFine && wentOn && start == null;
  }

  @Override
  void act(long nowNs) {
    if (removed) {
      return;
    }
    if (nowNs >= removeNs) {
      remove(nowNs);
      return;
    }
    if (nowNs >= failNs) {
      failNs = Long.MAX_VALUE;
      giveUp();
    }
    if (random.nextInt(SELDOM) == 0) {
      forgeAnswer(nowNs);
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
      postReceive(incoming.receive(posted.posted()));
    }
  }

  @Override
  void giveUp() {
    if (!removed) {
      end.fail();
      queuePair.enterError();
    }
  }

  @Override
  void sendsLeft(long nowNs) {
    if (!removed) {
      end.sendsLeft(end.posted() - queuePair.outstandingSends());
    }
    finishSends(nowNs);
  }

  @Override
  void check(long nowNs) {
    super.check(nowNs);
    Mismatch.unless(
        !drained || queuePair.state() != QueuePairState.SEND_QUEUE_DRAINED || doneWhenDrained == done(),
        "a send completed although the queue was drained");
    if (end.hasFailed() && !noticedFailure) {
      noticedFailure = true;
      failedNs = nowNs;
      toPost = Math.min(toPost, POSTS_AFTER_FAILURE);
      other.failAt(nowNs + 1 + random.nextLong(NEWS_TIMEOUTS * terms.timeoutNs()));
    }
  }

  @Override
  void checkEnd() {
    end.checkEnd();
    QueuePairState state = queuePair.state();
    histogram.add("PSNs", removed ? "forgotten" : queuePair.sendPsn() < firstPsn ? "wrapped" : "straight");
    Mismatch.unless(removed || state == QueuePairState.ERROR, "a queue pair that was given up is in state %s", state);
  }

  private void remove(long nowNs) {
    removed = true;
    removedNs = nowNs;
    end.goAway();
    peer.endpoint.remove(queuePair);
  }

  /** Where it stands, for who looks into a run that hangs. */
  @Override
  public String toString() {
    String todo = toPost + " to post, " + end.outstandingSends() + " under way";
    return queuePair.state() + " " + (isDone() ? "done" : todo);
  }

  @Override
  void raised(AsyncEventType type, long nowNs) {
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

  /** An answer that must not matter: to what was never sent, or from somebody else to what was sent last. */
  private void forgeAnswer(long nowNs) {
    if (queuePair.state() != QueuePairState.READY_TO_SEND) {
      return;
    }
    int psn = queuePair.sendPsn();
    Flow flow = other.queuePair.path().flow();
    if (queuePair.outstandingSends() == 0) {
      receiveAnswer(flow, psn, FORGED_SYNDROMES[random.nextInt(FORGED_SYNDROMES.length)], nowNs);
      histogram.add("forged", "answers to what was never sent");
    } else {
      Flow stranger = new Flow(flow.remote(), flow.remote(), flow.udpSourcePort(), 0);
      receiveAnswer(stranger, Psn.add(psn, -1), Aeth.ACK, nowNs);
      histogram.add("forged", "answers of a stranger");
    }
  }

  private void receiveAnswer(Flow flow, int psn, int syndrome, long nowNs) {
    ByteBuffer buffer = ByteBuffer.allocate(LONGEST_ANSWER_BYTES);
    PacketWriter writer = new PacketWriter();
    writer.begin(buffer, 0, flow, Opcode.RC_ACKNOWLEDGE, queuePair.number(), psn);
    writer.aeth(syndrome, 0);
    peer.receiveForged(Arrays.copyOf(buffer.array(), writer.end(0, 0)), nowNs);
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
        goneOnNs = nowNs;
      }
      start = null;
    } else if (drained && nowNs >= resumeNs) {
      if (state == QueuePairState.SEND_QUEUE_DRAINED) {
        queuePair.resume();
        goneOnNs = nowNs;
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
    return hasRoomForReceive()
        && posted.posted() < incoming.consuming() + ahead
        && incoming.hasReceive(posted.posted())
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
    histogram.add("lengths in packets", packets(next.pieces.totalBytes(), terms.mtu().bytes()));
    if (next.inline) {
      histogram.add("memory", "inline");
    }
  }

  @Override
  void sendCompleted(int index, Completion completion, long nowNs) {
    checkTime(index, completion.status, nowNs);
    if (completion.status == CompletionStatus.RETRY_EXCEEDED && !other.end.hasFailed()) {
      histogram.add("gave up", "on a peer that is there");
    }
    end.sendCompleted(index, completion);
    progressNs = nowNs;
  }

  @Override
  boolean receiveCompleted(int index, Completion completion) {
    end.receiveCompleted(index, completion);
    if (completion.status != CompletionStatus.SUCCESS) {
      return false;
    }
    heardEarly |= start != null;
    if (completion.hasInvalidatedKey) {
      target().window.invalidated();
    }
    return end.lastReceivedWasSolicited();
  }

  /** Retries take their time, and no more, where nothing but a time-out can use them up. */
  private void checkTime(int index, CompletionStatus status, long nowNs) {
    long sinceNs = nowNs - Math.max(progressNs, postedNs.get(index));
    if (terms.faulty()) {
      return;
    }
    long lastNs = Math.max(Math.max(progressNs, postedNs.get(index)), goneOnNs);
    if (status == CompletionStatus.RECEIVER_NOT_READY_RETRY_EXCEEDED) {
      long waitsNs = terms.rnrRetryCount() * terms.rnrNs();
      Mismatch.unless(sinceNs >= waitsNs, "gave up on receives after %d ns", sinceNs);
      long slackNs = terms.rnrNs() / 2;
      Mismatch.unless(
          nowNs - lastNs <= waitsNs + slackNs, "gave up on receives as late as after %d ns", nowNs - lastNs);
    } else if (status == CompletionStatus.RETRY_EXCEEDED) {
      Mismatch.unless(sinceNs >= terms.patienceNs(), "gave up on a peer after %d ns", sinceNs);
      long startNs = Math.max(lastNs, Math.max(other.failedNs, other.removedNs));
      long slackNs = terms.timeoutNs() / 4 + terms.rnrNs();
      Mismatch.unless(
          nowNs - startNs <= terms.patienceNs() + slackNs, "gave up on a peer as late as after %d ns", nowNs - startNs);
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
