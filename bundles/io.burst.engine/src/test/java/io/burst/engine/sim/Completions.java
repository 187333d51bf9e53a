package io.burst.engine.sim;

import io.burst.engine.qp.CompletionRing;
import io.burst.engine.sim.model.Mismatch;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.Completion;
import java.util.SplittableRandom;

/**
 * A completion queue and who waits for it: called once after it has asked, by the first completion that counts. Belongs
 * to the thread of its run.
 */
final class Completions {
  private static final int CAPACITY = 1024;

  final CompletionRing ring = new CompletionRing(CAPACITY, this::call, this::raised);

  private final SplittableRandom random;
  private boolean armed;
  private boolean solicitedOnly;
  private boolean due;
  private int calls;

  Completions(SplittableRandom random) {
    this.random = random;
  }

  boolean poll(Completion into) {
    return ring.poll(into);
  }

  /** @param solicited whether it failed, or its sender wanted it to wake who waits */
  void polled(boolean solicited) {
    due |= armed && (solicited || !solicitedOnly);
  }

  /** All completions that there were have been polled. */
  void check() {
    Mismatch.unless(calls == (due ? 1 : 0), "%d calls for completions, and it is %s that one is due", calls, due);
    armed &= !due;
    calls = 0;
    due = false;
    if (!armed && random.nextInt(4) == 0) {
      armed = true;
      solicitedOnly = random.nextInt(3) > 0;
      ring.arm(solicitedOnly);
    }
  }

  private void call() {
    calls++;
  }

  private void raised(AsyncEventType type) {
    throw new Mismatch("a completion queue's event is " + type);
  }
}
