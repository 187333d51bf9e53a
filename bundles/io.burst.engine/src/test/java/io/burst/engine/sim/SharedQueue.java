package io.burst.engine.sim;

import io.burst.engine.qp.SharedReceives;
import io.burst.engine.sim.model.Mismatch;
import io.burst.engine.sim.model.Pieces;
import io.burst.engine.sim.model.Receives;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.ScatterGatherList;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;

/**
 * Receives that several queue pairs of one end share, posted at random moments, and their limit event, which comes once
 * when it must. Belongs to the thread of its run.
 */
final class SharedQueue {
  static final int ROOM_BYTES = 1500;

  private static final int DEEPEST = 16;
  private static final int MOST_AT_ONCE = 6;

  final SharedReceives receives;
  final Receives posted = Receives.shared(ROOM_BYTES);
  final Identifiers identifiers;

  private final SplittableRandom random;
  private final Peer peer;
  private final int domain;
  private final int depth;
  private final int ahead;
  private final long mostPauseNs;
  private final Histogram histogram;
  private final List<IntSupplier> users = new ArrayList<>();
  private final ScatterGatherList list = new ScatterGatherList();
  private long nextPostNs;
  private int limit;
  private int limitEvents;
  private int outstandingBefore;

  SharedQueue(SplittableRandom random, Peer peer, int domain, long mostPauseNs, Histogram histogram) {
    this.random = random;
    this.peer = peer;
    this.domain = domain;
    this.mostPauseNs = mostPauseNs;
    this.histogram = histogram;
    identifiers = new Identifiers(random.nextInt());
    depth = 2 + random.nextInt(DEEPEST);
    ahead = random.nextInt(depth);
    receives = new SharedReceives(depth, this::raised);
  }

  /** @param messages how many come to one of the queue pairs, so far */
  void addUser(IntSupplier messages) {
    users.add(messages);
  }

  long nextActNs() {
    return hasToPost() ? nextPostNs : Long.MAX_VALUE;
  }

  void act(long nowNs) {
    if (nowNs >= nextPostNs && hasToPost()) {
      nextPostNs = nowNs + 1 + random.nextLong(mostPauseNs);
      for (int i = 1 + random.nextInt(MOST_AT_ONCE); i > 0 && hasToPost(); i--) {
        post();
      }
      if (limit == 0 && random.nextInt(4) == 0) {
        limit = 1 + random.nextInt(depth);
        receives.setLimit(limit);
      }
    }
    outstandingBefore = receives.outstanding();
  }

  /** Messages may have taken receives since {@link #act}. */
  void check() {
    int outstanding = receives.outstanding();
    boolean due = limit > 0 && outstanding < outstandingBefore && outstanding < limit;
    Mismatch.unless(
        limitEvents == (due ? 1 : 0),
        "%d limit events, %d of %d receives are left and the limit is %d",
        limitEvents, outstanding, outstandingBefore, limit);
    if (due) {
      limit = 0;
    }
    limitEvents = 0;
    outstandingBefore = outstanding;
  }

  private boolean hasToPost() {
    int wanted = users.stream().mapToInt(IntSupplier::getAsInt).sum() + ahead;
    return posted.posted() < wanted && receives.outstanding() < depth;
  }

  private void post() {
    Pieces pieces = peer.writable(domain).take(random, ROOM_BYTES);
    int index = posted.post(pieces);
    peer.fill(list, pieces);
    boolean taken = receives.post(identifiers.receive(index), list);
    Mismatch.unless(taken, "a shared receive queue with room took no receive");
  }

  private void raised(AsyncEventType type) {
    Mismatch.unless(type == AsyncEventType.SHARED_RECEIVE_QUEUE_LIMIT, "a shared receive queue's event is %s", type);
    limitEvents++;
    histogram.add("events", type);
  }
}
