package io.burst.engine.fuzz;

import io.burst.engine.qp.CompletionRing;
import io.burst.engine.qp.Counter;
import io.burst.engine.qp.Counters;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import java.util.ArrayDeque;
import java.util.Arrays;

/** What should have been counted, completed and told, to be compared with what was, after every step. */
final class Ledger {
  private static final Counter[] COUNTERS = Counter.values();

  final Counters counters = new Counters();
  private final long[] counted = new long[COUNTERS.length];
  private long oneOf;
  private final int[] events = new int[AsyncEventType.values().length];

  /** A completion that is due; a length or immediate of null is the engine's to choose. */
  record Due(long id, CompletionStatus status, Integer lengthBytes, Integer immediate, Integer invalidatedKey) {
    static Due failed(long id, CompletionStatus status) {
      return new Due(id, status, null, null, null);
    }
  }

  /** One completion queue. */
  static final class Queue {
    final CompletionRing ring = new CompletionRing(64);
    private final ArrayDeque<Due> due = new ArrayDeque<>();
    private final Completion completion = new Completion();

    void expect(Due completion) {
      due.add(completion);
    }

    void forget() {
      due.clear();
      while (ring.poll(completion)) {}
    }

    void settle() {
      while (ring.poll(completion)) {
        Due next = due.poll();
        if (next == null || next.id != completion.workRequestId || next.status != completion.status || !agrees(next)) {
          throw new AssertionError(
              "completed " + completion.workRequestId + " " + completion.status + " " + completion.lengthBytes
                  + " instead of " + next);
        }
      }
      if (!due.isEmpty()) {
        throw new AssertionError("not completed: " + due);
      }
    }

    private boolean agrees(Due next) {
      boolean failed = next.status != CompletionStatus.SUCCESS;
      return failed
          || (next.lengthBytes == null || next.lengthBytes == completion.lengthBytes)
              && completion.hasImmediate == (next.immediate != null)
              && (next.immediate == null || next.immediate == completion.immediate)
              && completion.hasInvalidatedKey == (next.invalidatedKey != null)
              && (next.invalidatedKey == null || next.invalidatedKey == completion.invalidatedKey);
    }
  }

  void count(Counter counter) {
    counted[counter.ordinal()]++;
  }

  /** @param mask counters that may say why the packet was dropped, a bit each */
  void countOneOf(long mask) {
    oneOf = mask;
  }

  /** What was counted and not expected yet. */
  long surplus(Counter counter) {
    return counters.get(counter) - counted[counter.ordinal()];
  }

  void expect(AsyncEventType event) {
    events[event.ordinal()]++;
  }

  void told(AsyncEventType event) {
    events[event.ordinal()]--;
  }

  void settle() {
    for (Counter counter : COUNTERS) {
      long more = surplus(counter);
      if (more == 1 && (oneOf & 1L << counter.ordinal()) != 0) {
        oneOf = 0;
        counted[counter.ordinal()]++;
      } else if (more != 0) {
        throw new AssertionError(counter + " counted " + more + " too much");
      }
    }
    if (oneOf != 0) {
      throw new AssertionError("not counted: a drop of " + Long.toBinaryString(oneOf));
    }
    for (AsyncEventType event : AsyncEventType.values()) {
      if (events[event.ordinal()] != 0) {
        throw new AssertionError(event + " not told: " + events[event.ordinal()]);
      }
    }
  }

  /** Starts again from what is there: a sequence that failed leaves some behind. */
  void forget() {
    oneOf = 0;
    for (Counter counter : COUNTERS) {
      counted[counter.ordinal()] = counters.get(counter);
    }
    Arrays.fill(events, 0);
  }
}
