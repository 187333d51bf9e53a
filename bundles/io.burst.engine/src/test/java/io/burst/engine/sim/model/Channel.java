package io.burst.engine.sim.model;

import io.burst.verbs.AccessFlag;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionOpcode;
import io.burst.verbs.SendOpcode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What one end asks of the other over a reliable connection: each request has its effect once and in order, until one
 * fails. What has had its effect is learned from completions at either end; memory may be further, as far as requests
 * were posted. Belongs to the thread of its run.
 */
final class Channel {
  private static final int NOT_CONSUMING = -1;
  private static final int NO_REQUEST = -1;

  private final End asker;
  private final End answerer;
  private final List<Request> requests = new ArrayList<>();
  /** What its rights made of each when it was posted. */
  private final List<Outcome> judged = new ArrayList<>();
  /** How many before each take receives; none for one that doesn't. */
  private final List<Integer> consumer = new ArrayList<>();
  /** The receives that were taken, in order. */
  private final List<Integer> taken = new ArrayList<>();
  /** What a READ or atomic brings, once it was executed. */
  private final List<byte[]> brought = new ArrayList<>();
  private int consuming;

  /** Those before this one are known to have had their effect. */
  private int executed;
  /** Those before this one have completed. */
  private int completed;
  /** Those from this one on have no effect at the other end. */
  private int stop = Integer.MAX_VALUE;

  Channel(End asker, End answerer) {
    this.asker = asker;
    this.answerer = answerer;
  }

  int post(Request request) {
    requests.add(request);
    judged.add(judge(request));
    consumer.add(request.consumesReceive() ? consuming++ : NOT_CONSUMING);
    brought.add(null);
    return requests.size() - 1;
  }

  int posted() {
    return requests.size();
  }

  int completed() {
    return completed;
  }

  Request get(int index) {
    return requests.get(index);
  }

  /** It completed well, with a completion or in silence. */
  void finish(int index) {
    Mismatch.unless(index == completed && index < requests.size(), "send %d completed, %d is next", index, completed);
    executeThrough(index);
    Request request = requests.get(index);
    if (request.opcode.isAnswered()) {
      checkFence(index);
    }
    if (request.sharedWord != null) {
      byte[] found = asker.host.actual(request.pieces);
      request.sharedWord.completed(this, index, request, wordOf(found).getLong(0));
      asker.host.expect(request.pieces, found);
    } else if (request.brings()) {
      checkBrought(index);
    }
    completed++;
  }

  /** It completed in error; no other did so before. */
  void checkFailed(int index, Completion completion, boolean mayGiveUp) {
    Mismatch.unless(index == completed, "send %d failed, %d is next", index, completed);
    Request request = requests.get(index);
    Outcome outcome = outcome(index);
    switch (completion.status) {
      case RETRY_EXCEEDED -> Mismatch.unless(mayGiveUp, "send %d gave up on a peer that is there", index);
      case RECEIVER_NOT_READY_RETRY_EXCEEDED -> {
        Mismatch.unless(
            request.consumesReceive() && receiveOf(index) == null, "send %d found no receive, which is there", index);
        executeThrough(index - 1);
        stop = request.opcode.isSend() ? index : index + 1;
      }
      default -> {
        boolean right = outcome != null && outcome != Outcome.DONE && completion.status == outcome.atAsker;
        Mismatch.unless(right, "send %d ended as %s, not as %s", index, completion.status, outcome);
        stopAt(index);
        if (outcome.isRefused) {
          answerer.hasRefused();
        }
      }
    }
  }

  /** It ended in error: what it would have brought may be there, in part. */
  void forgetBrought(int index) {
    if (requests.get(index).brings()) {
      asker.host.forget(requests.get(index).pieces);
    }
  }

  /** A receive completed well: the request that takes it has had its effect. */
  void checkReceived(int receiveIndex, Completion completion) {
    int index = consumer.indexOf(taken.size());
    Mismatch.unless(index >= 0, "receive %d completed, and nothing was sent for it", receiveIndex);
    taken.add(receiveIndex);
    executeThrough(index);
    Request request = requests.get(index);
    CompletionOpcode opcode =
        request.opcode.isSend() ? CompletionOpcode.RECEIVE : CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE;
    Mismatch.unless(completion.opcode == opcode, "a receive of %s completed as %s", request.opcode, opcode);
    Mismatch.unless(
        completion.lengthBytes == request.lengthBytes(),
        "a receive of %d bytes completed as %d", request.lengthBytes(), completion.lengthBytes);
    boolean immediate = request.opcode.hasImmediate();
    Mismatch.unless(completion.hasImmediate == immediate, "an immediate of %s is %s", request.opcode, !immediate);
    Mismatch.unless(!immediate || completion.immediate == request.immediate, "a wrong immediate");
    boolean invalidates = request.opcode == SendOpcode.SEND_WITH_INVALIDATE;
    Mismatch.unless(
        completion.hasInvalidatedKey == invalidates
            && (!invalidates || completion.invalidatedKey == request.invalidateKey),
        "a %s tells of the wrong key", request.opcode);
    Mismatch.unless(!completion.hasGlobalRouteHeader, "a connection's receive has a route header");
  }

  /** Whether the last one received was to wake who waits for it. */
  boolean lastWasSolicited() {
    return requests.get(consumer.indexOf(taken.size() - 1)).solicited;
  }

  /** What the next request that the other end must refuse makes of the receive there; null when there is none. */
  Outcome refusal() {
    int index = firstRefused();
    return index == NO_REQUEST ? null : outcome(index);
  }

  /** The other end has refused the request that it had to: all before it were executed. */
  void refuse() {
    int index = firstRefused();
    executeThrough(index - 1);
    stopAt(index);
  }

  /** After the asking end failed: what requests that never completed may have done. */
  void abandon() {
    for (int i = completed; i < requests.size(); i++) {
      Request request = requests.get(i);
      if (request.sharedWord != null) {
        request.sharedWord.forget();
      }
    }
    for (int i = executed; i < Math.min(stop, requests.size()); i++) {
      mayHaveHadItsEffect(i);
    }
    if (stop < requests.size() && outcome(stop) == Outcome.TOO_LONG) {
      mayHaveHadItsEffect(stop);
    }
  }

  private void mayHaveHadItsEffect(int index) {
    Request request = requests.get(index);
    int target = (int) request.target;
    if (request.opcode.isSend()) {
      Pieces pieces = receiveOf(index);
      if (pieces != null) {
        answerer.host.mayHold(pieces, request.payload);
      }
    } else if (isRefused(index)) {
      return;
    } else if (request.opcode.isAtomic() || request.opcode == SendOpcode.ATOMIC_WRITE) {
      answerer.host.forget(target, Long.BYTES);
    } else if (request.writes()) {
      answerer.host.mayHold(target, request.payload);
    }
  }

  private boolean isRefused(int index) {
    Outcome outcome = outcome(index);
    return outcome != null && outcome != Outcome.DONE;
  }

  private int firstRefused() {
    for (int i = executed; i < requests.size(); i++) {
      Outcome outcome = outcome(i);
      if (outcome != Outcome.DONE) {
        return outcome != null && outcome.isRefused ? i : NO_REQUEST;
      }
    }
    return NO_REQUEST;
  }

  private void stopAt(int index) {
    executeThrough(index - 1);
    stop = index;
  }

  private void executeThrough(int last) {
    int first = executed;
    for (; executed <= last; executed++) {
      Outcome outcome = outcome(executed);
      Mismatch.unless(
          outcome == Outcome.DONE && executed < stop, "request %d was executed, it is %s", executed, outcome);
      execute(executed);
    }
    for (int i = first; i <= last; i++) {
      checkWritten(i);
    }
  }

  private void execute(int index) {
    Request request = requests.get(index);
    Mismatch.unless(
        consumer.get(index) < taken.size(), "request %d came before its receive's completion", index);
    int target = (int) request.target;
    switch (request.opcode) {
      case SEND, SEND_WITH_IMMEDIATE, SEND_WITH_INVALIDATE -> {
        answerer.host.expect(receiveOf(index), request.payload);
        answerer.host.check(receiveOf(index), "what request %d has sent", index);
        answerer.host.revoke(request.invalidateKey);
      }
      case WRITE, WRITE_WITH_IMMEDIATE, ATOMIC_WRITE -> answerer.host.expect(target, request.payload);
      case READ -> brought.set(index, answerer.host.expected(target, request.lengthBytes()));
      case COMPARE_SWAP, FETCH_ADD -> {
        if (request.sharedWord == null) {
          brought.set(index, answerer.host.expected(target, Long.BYTES));
          executeAtomic(request, target);
        }
      }
      case LOCAL_INVALIDATE -> asker.host.revoke(request.invalidateKey);
      case BIND_MEMORY_WINDOW -> asker.host.bind(request.binding, asker);
    }
  }

  private void executeAtomic(Request request, int target) {
    long found = answerer.host.word(target);
    ByteBuffer left = wordOf(new byte[Long.BYTES]);
    if (request.opcode == SendOpcode.FETCH_ADD) {
      answerer.host.expect(target, left.putLong(found + request.swapOrAdd).array());
    } else if (found == request.compare) {
      answerer.host.expect(target, left.putLong(request.swapOrAdd).array());
    }
  }

  /** A WRITE is in its place, where no later one has been already. */
  private void checkWritten(int index) {
    Request request = requests.get(index);
    if (request.opcode != SendOpcode.WRITE && request.opcode != SendOpcode.WRITE_WITH_IMMEDIATE) {
      return;
    }
    int from = (int) request.target;
    int end = from + request.lengthBytes();
    for (int at = answerer.host.difference(from, end - from);
        at >= 0;
        at = answerer.host.difference(at + 1, end - at - 1)) {
      Mismatch.unless(
          isWritten(executed, requests.size(), at, answerer.host.actual(at)),
          "request %d is done, byte %d of it isn't there", index, at - from);
    }
  }

  /** What was read was there, or a later WRITE that no fence held back has put it there. */
  private void checkBrought(int index) {
    Request request = requests.get(index);
    byte[] actual = asker.host.actual(request.pieces);
    byte[] expected = brought.get(index);
    for (int at = mismatch(actual, expected, 0); at >= 0; at = mismatch(actual, expected, at + 1)) {
      Mismatch.unless(
          isWritten(index + 1, nextFenced(index), request.target + at, actual[at]),
          "%s %d brought a wrong byte %d of %d", request.opcode, index, at, actual.length);
    }
    asker.host.expect(request.pieces, actual);
  }

  /** The first index from the given one on at which they differ, or -1. */
  private static int mismatch(byte[] actual, byte[] expected, int from) {
    int at = Arrays.mismatch(actual, from, actual.length, expected, from, expected.length);
    return at < 0 ? -1 : from + at;
  }

  /** When a READ or atomic completes, no fenced request behind it may have begun. */
  private void checkFence(int index) {
    int fenced = nextFenced(index);
    if (fenced == requests.size()) {
      return;
    }
    Mismatch.unless(executed <= fenced, "request %d went before %d, in spite of its fence", fenced, index);
    Request request = requests.get(fenced);
    if (request.opcode == SendOpcode.WRITE && request.lengthBytes() >= Long.BYTES && !isRefused(fenced)) {
      long there = answerer.host.actualLong((int) request.target);
      Mismatch.unless(
          there != wordOf(request.payload).getLong(0) || there == answerer.host.word((int) request.target),
          "request %d wrote before %d was done, in spite of its fence", fenced, index);
    }
  }

  private int nextFenced(int index) {
    int next = index + 1;
    while (next < requests.size() && !requests.get(next).fenced) {
      next++;
    }
    return next;
  }

  private boolean isWritten(int from, int end, long at, byte value) {
    for (int i = from; i < end; i++) {
      Request request = requests.get(i);
      long index = at - request.target;
      if (request.writes() && index >= 0 && index < request.lengthBytes() && request.payload[(int) index] == value) {
        return true;
      }
    }
    return false;
  }

  /** Where a SEND goes; null as long as that isn't known. */
  private Pieces receiveOf(int index) {
    int number = consumer.get(index);
    if (number < taken.size()) {
      return answerer.receives.get(taken.get(number));
    }
    boolean known = !answerer.receives.isShared() && number < answerer.receives.posted();
    return known ? answerer.receives.get(number) : null;
  }

  /** Null as long as its receive isn't there. */
  private Outcome outcome(int index) {
    Request request = requests.get(index);
    if (!request.opcode.isSend() || judged.get(index) == Outcome.OWN_MEMORY) {
      return judged.get(index);
    }
    Pieces pieces = receiveOf(index);
    if (pieces == null && !answerer.receives.isShared()) {
      return null;
    }
    int room = pieces == null ? answerer.receives.sharedRoomBytes() : pieces.totalBytes();
    if (request.lengthBytes() > room) {
      return Outcome.TOO_LONG;
    }
    boolean writable = pieces == null || answerer.host.permitsLocal(answerer, pieces, AccessFlag.LOCAL_WRITE);
    return writable ? judged.get(index) : Outcome.BAD_RECEIVE;
  }

  private Outcome judge(Request request) {
    AccessFlag local = request.brings() ? AccessFlag.LOCAL_WRITE : null;
    if (!request.inline && !asker.host.permitsLocal(asker, request.pieces, local)) {
      return Outcome.OWN_MEMORY;
    }
    return switch (request.opcode) {
      case SEND, SEND_WITH_IMMEDIATE -> Outcome.DONE;
      case SEND_WITH_INVALIDATE -> answerer.host.isWindowOf(answerer, request.invalidateKey)
          ? Outcome.DONE
          : Outcome.NOT_A_WINDOW;
      case LOCAL_INVALIDATE -> asker.host.isWindowOf(asker, request.invalidateKey)
          ? Outcome.DONE
          : Outcome.NOT_INVALIDATED;
      case BIND_MEMORY_WINDOW -> asker.host.permitsBinding(request.binding, asker)
          ? Outcome.DONE
          : Outcome.NOT_BOUND;
      case WRITE, WRITE_WITH_IMMEDIATE -> namedMemory(request, AccessFlag.REMOTE_WRITE, 1);
      case READ -> namedMemory(request, AccessFlag.REMOTE_READ, 1);
      case COMPARE_SWAP, FETCH_ADD -> namedMemory(request, AccessFlag.REMOTE_ATOMIC, Long.BYTES);
      case ATOMIC_WRITE -> namedMemory(request, AccessFlag.REMOTE_WRITE, Long.BYTES);
    };
  }

  private Outcome namedMemory(Request request, AccessFlag access, int alignment) {
    Host host = answerer.host;
    if (!answerer.access.contains(access) || host.name(request.remoteKey, request.target) % alignment != 0) {
      return Outcome.INVALID;
    }
    int bytes = request.lengthBytes();
    if (bytes > 0 && !host.permits(answerer, request.remoteKey, request.target, bytes, access)) {
      return Outcome.NO_ACCESS;
    }
    return request.target % alignment == 0 ? Outcome.DONE : Outcome.INVALID;
  }

  private static ByteBuffer wordOf(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
  }
}
