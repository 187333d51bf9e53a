package io.burst.engine.sim.model;

import io.burst.verbs.AccessFlag;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import java.util.Set;

/**
 * One end of a reliable connection: what it has posted, and which completions it may see. Each request and each receive
 * completes once and in order; when one fails the rest is flushed. Belongs to the thread of its run.
 */
public final class End extends Side {
  private final boolean lossy;
  private Channel outgoing;
  private Channel incoming;
  private End peer;
  private boolean failed;
  private boolean gone;
  /** What was wrong with the peer's request that ended this end, else null. */
  private Outcome refused;
  private boolean refusalTold;
  private boolean lastReceiveTold;
  private boolean sharedReceiveFailed;
  /** Sends that completed, well or not. */
  private int sendsReported;

  /**
   * @param access what its queue pair allows the other
   * @param lossy whether the link may lose so much that an end gives up
   */
  public End(Host host, int domain, Set<AccessFlag> access, Receives receives, boolean lossy) {
    super(host, domain, access, receives);
    this.lossy = lossy;
  }

  public static void connect(End a, End b) {
    a.peer = b;
    b.peer = a;
    a.outgoing = new Channel(a, b);
    b.outgoing = new Channel(b, a);
    a.incoming = b.outgoing;
    b.incoming = a.outgoing;
  }

  /** @return its place in the order, from 0 on */
  public int post(Request request) {
    return outgoing.post(request);
  }

  public int posted() {
    return outgoing.posted();
  }

  public int outstandingSends() {
    return outgoing.posted() - sendsReported;
  }

  public Request request(int index) {
    return outgoing.get(index);
  }

  public boolean hasFailed() {
    return failed;
  }

  /** The application puts the queue pair into the error state. */
  public void fail() {
    failed = true;
  }

  /** The application destroys the queue pair: nothing more completes. */
  public void goAway() {
    fail();
    gone = true;
    for (int index = sendsReported; index < outgoing.posted(); index++) {
      outgoing.forgetBrought(index);
    }
  }

  /** All that was asked for has completed. */
  public boolean isDone() {
    boolean flushed = receives.isShared() || receives.outstanding() == 0;
    return gone || outstandingSends() == 0 && (!failed || flushed);
  }

  /** So many of the sends are no longer outstanding: silent ones among them have completed well. */
  public void sendsLeft(int count) {
    while (!failed && sendsReported < count && !outgoing.get(sendsReported).signaled) {
      outgoing.finish(sendsReported++);
    }
  }

  public void sendCompleted(int index, Completion completion) {
    checkPresent();
    while (sendsReported < index && !failed && !outgoing.get(sendsReported).signaled) {
      outgoing.finish(sendsReported++);
    }
    Mismatch.unless(index == sendsReported, "send %d completed, %d is next", index, sendsReported);
    boolean flushed = completion.status == CompletionStatus.WORK_REQUEST_FLUSHED;
    if (completion.status == CompletionStatus.SUCCESS) {
      Mismatch.unless(!failed, "send %d completed after the queue pair has failed", index);
      checkSuccess(outgoing.get(index), completion);
      outgoing.finish(index);
    } else if (failed) {
      Mismatch.unless(flushed, "send %d ended as %s after another has failed", index, completion.status);
    } else if (flushed) {
      checkFlushedByRefusal("send", index);
    } else {
      outgoing.checkFailed(index, completion, lossy || peer.failed);
      failed = true;
    }
    if (failed) {
      outgoing.forgetBrought(index);
    }
    sendsReported++;
  }

  public void receiveCompleted(int index, Completion completion) {
    checkPresent();
    receives.complete(index);
    boolean flushed = completion.status == CompletionStatus.WORK_REQUEST_FLUSHED;
    if (completion.status == CompletionStatus.SUCCESS) {
      Mismatch.unless(!failed, "receive %d completed after the queue pair has failed", index);
      incoming.checkReceived(index, completion);
    } else if (failed) {
      Mismatch.unless(flushed, "receive %d ended as %s after another has failed", index, completion.status);
      Mismatch.unless(
          !receives.isShared() || !sharedReceiveFailed, "shared receive %d was flushed, and isn't its own", index);
      sharedReceiveFailed = true;
    } else if (flushed) {
      checkFlushedByRefusal("receive", index);
    } else {
      Outcome refusal = incoming.refusal();
      Mismatch.unless(
          refusal != null && completion.status == refusal.atAnswerer,
          "receive %d ended as %s, and what is asked is %s", index, completion.status, refusal);
      sharedReceiveFailed = true;
      refuse();
    }
  }

  /** Whether the receive that completed last was to wake who waits for it. */
  public boolean lastReceivedWasSolicited() {
    return incoming.lastWasSolicited();
  }

  /** An asynchronous event of the queue pair; each comes once, after what it tells of. */
  public void raised(AsyncEventType type) {
    switch (type) {
      case LAST_RECEIVE_REACHED -> {
        Mismatch.unless(receives.isShared() && failed && !lastReceiveTold, "an event %s without a reason", type);
        lastReceiveTold = true;
      }
      case QUEUE_PAIR_FATAL, QUEUE_PAIR_ACCESS_ERROR, QUEUE_PAIR_REQUEST_ERROR -> {
        if (refused == null && !failed && incoming.refusal() != null) {
          refuse();
        }
        Mismatch.unless(refused != null && refused.event() == type && !refusalTold, "%s for %s", type, refused);
        refusalTold = true;
      }
      default -> throw new Mismatch("an event " + type);
    }
  }

  public void checkEnd() {
    Mismatch.unless(isDone(), "%d sends and %d receives never completed", outstandingSends(), receives.outstanding());
    Mismatch.unless(refused == null || refusalTold, "no event tells of a request that is %s", refused);
    Mismatch.unless(gone || lastReceiveTold || !failed || !receives.isShared(), "no event tells of the last receive");
    if (failed) {
      outgoing.abandon();
    }
  }

  /** The peer was told that this end has refused a request, which ended this end too. */
  void hasRefused() {
    Mismatch.unless(refused != null, "a refusal that the other end knows nothing of");
  }

  /** It may be flushed as the first if the other end has asked for what can't be, and that had taken no receive. */
  private void checkFlushedByRefusal(String what, int index) {
    Outcome refusal = incoming.refusal();
    Mismatch.unless(refusal != null && refusal.atAnswerer == null, "%s %d was flushed without a reason", what, index);
    refuse();
  }

  private void refuse() {
    refused = incoming.refusal();
    incoming.refuse();
    failed = true;
  }

  private void checkPresent() {
    Mismatch.unless(!gone, "a completion of a queue pair that is gone");
  }

  private static void checkSuccess(Request request, Completion completion) {
    Mismatch.unless(request.signaled, "a silent request completed aloud");
    Mismatch.unless(
        completion.opcode == request.opcode.completion(),
        "a %s completed as %s", request.opcode, completion.opcode);
    Mismatch.unless(
        !request.brings() || completion.lengthBytes == request.lengthBytes(),
        "a %s of %d bytes completed as %d", request.opcode, request.lengthBytes(), completion.lengthBytes);
    Mismatch.unless(!completion.hasImmediate, "a send completed with an immediate");
  }
}
