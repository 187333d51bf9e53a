package io.burst.engine.sim;

import io.burst.engine.qp.QueuePairContext;
import io.burst.engine.qp.Queues;
import io.burst.engine.qp.ReceiveQueue;
import io.burst.engine.qp.SendQueue;
import io.burst.engine.sim.model.Mismatch;
import io.burst.engine.sim.model.Pieces;
import io.burst.engine.sim.model.Receives;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.ScatterGatherList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * An application on one queue pair: posts requests and receives at random moments, overwrites their buffers when they
 * have completed, and shows the model all that it sees. Belongs to the thread of its run.
 */
abstract class Application {
  private static final int DEEPEST = 8;

  final SplittableRandom random;
  final Peer peer;
  final Histogram histogram;
  final SendQueue sends;
  final int sendDepth;
  final Receives posted;
  final SharedQueue shared;
  final Identifiers identifiers;
  final int domain;

  private final ReceiveQueue receives;
  private final int receiveDepth;
  private final List<Completion> arrived = new ArrayList<>();
  private final List<AsyncEventType> raised = new ArrayList<>();
  private final ScatterGatherList list = new ScatterGatherList();

  /** @param shared the receives that it shares with others, or null when it has its own */
  Application(
      SplittableRandom random, Peer peer, int domain, int maxInlineBytes, SharedQueue shared, Histogram histogram) {
    this.random = random;
    this.peer = peer;
    this.domain = domain;
    this.shared = shared;
    this.histogram = histogram;
    sendDepth = 1 + random.nextInt(DEEPEST);
    sends = new SendQueue(sendDepth, maxInlineBytes);
    receiveDepth = 1 + random.nextInt(DEEPEST);
    receives = shared == null ? new ReceiveQueue(receiveDepth) : shared.receives;
    posted = shared == null ? Receives.own() : shared.posted;
    identifiers = new Identifiers(random.nextInt());
  }

  abstract QueuePairContext queuePair();

  /** When it has something to do, even if nothing happens. */
  abstract long nextActNs();

  abstract void act(long nowNs);

  /** Whether all that it wanted is done. */
  abstract boolean isDone();

  /** The application's own end of it; idempotent. */
  abstract void giveUp();

  abstract void checkEnd();

  abstract void sendCompleted(int index, Completion completion, long nowNs);

  /** @return whether it was to wake who waits */
  abstract boolean receiveCompleted(int index, Completion completion);

  /** All completions have been seen; silent ones show in how many sends are outstanding. */
  abstract void sendsLeft(long nowNs);

  abstract void raised(AsyncEventType type, long nowNs);

  final Queues queues() {
    return new Queues(sends, receives, peer.sendCompletions.ring, peer.receiveCompletions.ring);
  }

  final void event(AsyncEventType type) {
    raised.add(type);
  }

  final void take(Completion completion) {
    arrived.add(completion);
    if (Identifiers.isReceive(completion.workRequestId)) {
      posted.polled(receiveIdentifiers().index(completion.workRequestId));
    }
  }

  private Identifiers receiveIdentifiers() {
    return shared == null ? identifiers : shared.identifiers;
  }

  /**
   * Successes first, then what failed by itself: where two completion queues are, one may tell of the end before the
   * other tells of what was done before.
   */
  void check(long nowNs) {
    arrived.sort(Comparator.comparingInt(Application::rank));
    for (Completion completion : arrived) {
      histogram.add("statuses", completion.status);
      check(completion, nowNs);
    }
    arrived.clear();
    sendsLeft(nowNs);
    for (AsyncEventType type : raised) {
      histogram.add("events", type);
      raised(type, nowNs);
    }
    raised.clear();
  }

  private static int rank(Completion completion) {
    return switch (completion.status) {
      case SUCCESS -> 0;
      case WORK_REQUEST_FLUSHED -> 2;
      default -> 1;
    };
  }

  private void check(Completion completion, long nowNs) {
    boolean failed = completion.status != CompletionStatus.SUCCESS;
    if (Identifiers.isReceive(completion.workRequestId)) {
      int index = receiveIdentifiers().index(completion.workRequestId);
      boolean solicited = receiveCompleted(index, completion);
      overwrite(posted.get(index));
      peer.receiveCompletions.polled(failed || solicited);
    } else {
      sendCompleted(identifiers.index(completion.workRequestId), completion, nowNs);
      peer.sendCompletions.polled(failed);
    }
  }

  final boolean hasRoomForReceive() {
    return shared == null && posted.outstanding() < receiveDepth;
  }

  final void postReceive(Pieces pieces) {
    int index = posted.post(pieces);
    peer.fill(list, pieces);
    Mismatch.unless(receives.post(identifiers.receive(index), list), "a receive queue with room took no receive");
  }

  final void overwrite(Pieces pieces) {
    peer.host.store(pieces, Arena.someBytes(random, pieces.totalBytes()));
  }

  /** How many packets of a path MTU a message is, in classes. */
  static String packets(int bytes, int mtuBytes) {
    int packets = (bytes + mtuBytes - 1) / mtuBytes;
    return packets < 4 ? Integer.toString(packets) : packets < 16 ? "04-15" : packets < 32 ? "16-31" : "32+";
  }
}
