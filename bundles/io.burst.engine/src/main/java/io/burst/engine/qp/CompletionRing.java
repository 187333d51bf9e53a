package io.burst.engine.qp;

import io.burst.verbs.AsyncEventType;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Completions on their way from the one thread that owns the queue pairs to the one that polls. The release of
 * {@link #push} comes after the received bytes were written, so that who sees the completion sees them.
 */
public final class CompletionRing {
  private static final VarHandle PUSHED;
  private static final VarHandle POLLED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      PUSHED = lookup.findVarHandle(CompletionRing.class, "pushed", long.class);
      POLLED = lookup.findVarHandle(CompletionRing.class, "polled", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Whether, and by which completion, the listener wants to be called. */
  private enum Armed {
    NO,
    SOLICITED,
    ANY
  }

  private final int mask;
  private final Completion[] completions;
  private final Runnable listener;
  private final EventSink events;

  private long pushed;
  private long polled;
  private volatile boolean overrun;
  private volatile Armed armed = Armed.NO;

  /** A ring without a listener; see the other constructor. */
  public CompletionRing(int capacity) {
    this(capacity, () -> {}, EventSink.NONE);
  }

  /**
   * @param capacity completions that fit at least, 1 or more
   * @param listener called once each time that it was {@link #arm}ed, by the pushing thread
   */
  public CompletionRing(int capacity, Runnable listener, EventSink events) {
    int slots = Integer.highestOneBit(Math.max(1, capacity - 1)) << 1;
    this.listener = listener;
    this.events = events;
    mask = slots - 1;
    completions = new Completion[slots];
    for (int i = 0; i < slots; i++) {
      completions[i] = new Completion();
    }
  }

  public int capacity() {
    return mask + 1;
  }

  /** True once a completion had to be dropped; for any thread. */
  public boolean isOverrun() {
    return overrun;
  }

  /**
   * Asks for the listener to be called at the next completion; for any thread.
   *
   * @param solicitedOnly at the next that is solicited or a failure, unless a call at any is asked for already
   */
  public void arm(boolean solicitedOnly) {
    if (!solicitedOnly) {
      armed = Armed.ANY;
    } else if (armed == Armed.NO) {
      armed = Armed.SOLICITED;
    }
  }

  /** For the polling thread; false when there is none. */
  public boolean poll(Completion into) {
    long sequence = polled;
    if (sequence == (long) PUSHED.getAcquire(this)) {
      return false;
    }
    into.set(completions[(int) sequence & mask]);
    POLLED.setRelease(this, sequence + 1);
    return true;
  }

  /** @param solicited whether the peer asked for the listener's attention */
  void push(Completion completion, boolean solicited) {
    long sequence = pushed;
    if (sequence - (long) POLLED.getAcquire(this) > mask) {
      overrun();
      return;
    }
    completions[(int) sequence & mask].set(completion);
    // Volatile, so that who arms the ring and then polls either finds this completion or is called for it.
    PUSHED.setVolatile(this, sequence + 1);
    if (armed != Armed.NO) {
      call(solicited || completion.status != CompletionStatus.SUCCESS);
    }
  }

  private void call(boolean important) {
    if (important || armed == Armed.ANY) {
      armed = Armed.NO;
      listener.run();
    }
  }

  private void overrun() {
    if (!overrun) {
      overrun = true;
      events.raise(AsyncEventType.COMPLETION_QUEUE_ERROR);
    }
  }
}
