package io.burst.engine.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.qp.Counter;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.ScatterGatherList;
import io.burst.verbs.SendOpcode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Two endpoints under a virtual clock over a faulty link, with random work, held against a plain model. The system
 * properties sim.runs and sim.seed (profile sim) say how many runs, and which is the first; a failure names its seed,
 * which alone repeats it.
 */
class SimulationTest {
  private static final int BOUNDED_RUNS = 3000;
  private static final int RUNS = Integer.getInteger("sim.runs", BOUNDED_RUNS);
  private static final long FIRST_SEED = Long.getLong("sim.seed", 1);
  private static final int MOST_MISMATCHES_TOLD = 5;

  private static final List<SendOpcode> UNRELIABLE =
      List.of(SendOpcode.SEND, SendOpcode.SEND_WITH_IMMEDIATE, SendOpcode.WRITE, SendOpcode.WRITE_WITH_IMMEDIATE);
  private static final List<CompletionStatus> STATUSES =
      List.of(
          CompletionStatus.SUCCESS,
          CompletionStatus.LOCAL_LENGTH_ERROR,
          CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR,
          CompletionStatus.LOCAL_PROTECTION_ERROR,
          CompletionStatus.WORK_REQUEST_FLUSHED,
          CompletionStatus.MEMORY_WINDOW_BIND_ERROR,
          CompletionStatus.REMOTE_INVALID_REQUEST,
          CompletionStatus.REMOTE_ACCESS_ERROR,
          CompletionStatus.REMOTE_OPERATION_ERROR,
          CompletionStatus.RECEIVER_NOT_READY_RETRY_EXCEEDED);
  private static final List<AsyncEventType> EVENTS =
      List.of(
          AsyncEventType.COMMUNICATION_ESTABLISHED,
          AsyncEventType.SEND_QUEUE_DRAINED,
          AsyncEventType.LAST_RECEIVE_REACHED,
          AsyncEventType.SHARED_RECEIVE_QUEUE_LIMIT,
          AsyncEventType.QUEUE_PAIR_FATAL,
          AsyncEventType.QUEUE_PAIR_REQUEST_ERROR,
          AsyncEventType.QUEUE_PAIR_ACCESS_ERROR);
  private static final List<Counter> COUNTERS =
      List.of(
          Counter.DUPLICATE_REQUEST,
          Counter.OUT_OF_SEQUENCE,
          Counter.PACKET_SEQ_ERR,
          Counter.OUT_OF_BUFFER,
          Counter.RCVD_RNR_ERR,
          Counter.LOCAL_ACK_TIMEOUT_ERR,
          Counter.IMPLIED_NAK_SEQ_ERR,
          Counter.RETRANSMITTED_PKTS,
          Counter.RX_ICRC_ENCAPSULATED,
          Counter.RX_STALE_RESPONSE);

  private final Histogram histogram = new Histogram();

  @Test
  void theTransportDoesWhatTheModelSays() throws IOException {
    List<AssertionError> mismatches = new ArrayList<>();
    for (long seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
      try {
        new Run(seed, histogram).execute();
      } catch (RuntimeException | AssertionError e) {
        mismatches.add(new AssertionError("seed " + seed + ": " + e.getMessage(), e));
      }
    }
    System.out.print(histogram);
    System.out.println(RUNS + " runs, " + mismatches.size() + " mismatches");
    mismatches.stream().limit(MOST_MISMATCHES_TOLD).forEach(e -> System.out.println(e.getMessage()));
    if (!mismatches.isEmpty()) {
      throw mismatches.get(0);
    }
    if (RUNS >= BOUNDED_RUNS) {
      assertReached();
    }
  }

  /** What isn't exercised isn't tested. */
  private void assertReached() {
    for (SendOpcode opcode : SendOpcode.values()) {
      assertReached("operations", opcode, RUNS);
    }
    for (SendOpcode opcode : UNRELIABLE) {
      assertReached("operations", "UC_" + opcode, RUNS);
    }
    assertReached("operations", "UD_SEND", RUNS);
    assertReached("operations", "UD_SEND_WITH_IMMEDIATE", RUNS);
    assertReached("unreliable connections", CompletionStatus.SUCCESS, RUNS);
    assertReached("datagrams", CompletionStatus.SUCCESS, RUNS);
    for (Doom doom : Doom.values()) {
      assertReached("dooms", doom, RUNS / 100);
    }
    for (CompletionStatus status : STATUSES) {
      assertReached("statuses", status, RUNS / 100);
    }
    for (AsyncEventType event : EVENTS) {
      assertReached("events", event, RUNS / 100);
    }
    for (Counter counter : COUNTERS) {
      assertReached("counters", counter.label(), RUNS);
    }
    for (String fault : List.of("drop", "duplicate", "reorder", "corrupt", "delay")) {
      assertReached("faults", fault, RUNS);
    }
    for (String repeated : List.of("READ", "atomic", "ATOMIC_WRITE")) {
      assertReached("repeated requests", repeated, RUNS);
    }
    for (String length : List.of("0", "1", "2", "3", "04-15", "16-31", "32+")) {
      assertReached("lengths in packets", length, RUNS / 10);
    }
    for (int pieces = 0; pieces <= ScatterGatherList.CAPACITY; pieces++) {
      assertReached("pieces", pieces, RUNS);
    }
    assertReached("memory", "inline", RUNS);
    assertReached("memory", "registered anew", RUNS);
    assertReached("PSNs", "wrapped", RUNS / 10);
    assertReached("forged", "answers to what was never sent", RUNS);
    assertReached("forged", "answers of a stranger", RUNS);
    assertThat(histogram.get("gave up", "on a peer that is there"))
        .as("connections that gave up, which takes eight losses in a row")
        .isLessThanOrEqualTo(1 + RUNS / 500);
  }

  private void assertReached(String group, Object label, long times) {
    assertThat(histogram.get(group, label)).as("%s: %s", group, label).isGreaterThanOrEqualTo(times);
  }
}
