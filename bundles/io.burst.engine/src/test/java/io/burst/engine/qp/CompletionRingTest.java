package io.burst.engine.qp;

import static org.assertj.core.api.Assertions.assertThat;

import io.burst.verbs.AsyncEventType;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a completion queue calls for attention (IBTA volume 1, 11.4.2.2), and what an overrun does. */
class CompletionRingTest {
  private final List<AsyncEventType> events = new ArrayList<>();
  private int calls;
  private final CompletionRing ring = new CompletionRing(2, () -> calls++, events::add);

  @Test
  void itCallsOnceForEachTimeItWasAsked() {
    push(CompletionStatus.SUCCESS, false);
    assertThat(calls).isZero();
    poll();
    ring.arm(false);
    push(CompletionStatus.SUCCESS, false);
    push(CompletionStatus.SUCCESS, true);
    assertThat(calls).isEqualTo(1);
  }

  @Test
  void solicitedOnlyWaitsForWhatMatters() {
    ring.arm(true);
    push(CompletionStatus.SUCCESS, false);
    assertThat(calls).isZero();
    push(CompletionStatus.SUCCESS, true);
    assertThat(calls).isEqualTo(1);
    poll();
    poll();
    ring.arm(true);
    push(CompletionStatus.WORK_REQUEST_FLUSHED, false);
    assertThat(calls).isEqualTo(2);
  }

  /** Who asked for any gets any, whatever is asked for behind it. */
  @Test
  void theWiderWishCounts() {
    ring.arm(false);
    ring.arm(true);
    push(CompletionStatus.SUCCESS, false);
    assertThat(calls).isEqualTo(1);
  }

  /** What was there stays; what finds no room is lost. */
  @Test
  void aFullRingKeepsWhatItHas() {
    for (int id = 1; id <= 3; id++) {
      Completion completion = new Completion();
      completion.workRequestId = id;
      completion.status = CompletionStatus.SUCCESS;
      ring.push(completion, false);
      assertThat(ring.isOverrun()).isEqualTo(id == 3);
    }
    Completion polled = new Completion();
    assertThat(ring.poll(polled)).isTrue();
    assertThat(polled.workRequestId).isEqualTo(1);
    assertThat(ring.poll(polled)).isTrue();
    assertThat(polled.workRequestId).isEqualTo(2);
    assertThat(ring.poll(polled)).isFalse();
  }

  @Test
  void anOverrunIsToldOnce() {
    for (int i = 0; i < 4; i++) {
      push(CompletionStatus.SUCCESS, false);
    }
    assertThat(ring.isOverrun()).isTrue();
    assertThat(events).containsExactly(AsyncEventType.COMPLETION_QUEUE_ERROR);
  }

  private void push(CompletionStatus status, boolean solicited) {
    Completion completion = new Completion();
    completion.status = status;
    ring.push(completion, solicited);
  }

  private void poll() {
    assertThat(ring.poll(new Completion())).isTrue();
  }
}
