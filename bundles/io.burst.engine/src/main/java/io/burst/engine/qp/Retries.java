package io.burst.engine.qp;

import io.burst.verbs.ReadyToSend;

/**
 * How long a requester waits for its peer, and how often it tries again (IBTA volume 1, 9.7.6.1.3 and 9.9.2.1.1). Owned
 * by its queue pair's thread.
 */
final class Retries {
  static final long NEVER = Long.MAX_VALUE;

  private static final int RNR_RETRY_FOR_EVER = 7;

  /** The local ACK timeout's unit, 4.096 us. */
  private static final long TIMEOUT_UNIT_NS = 4096;

  /**
   * The timer may run from one to four times the timeout: the first time-out comes soon, as a lost packet wants it, and
   * further ones in a row give a stalled peer more time, to 2^2 times.
   */
  private static final int MOST_DOUBLINGS = 2;

  private long timeoutNs;
  private int retryCount;
  private int rnrRetryCount;
  private int retriesLeft;
  private int rnrRetriesLeft;
  private int timeoutsInARow;
  private long deadlineNs = NEVER;
  /** While an RNR NAK makes it wait: when it may go on; else 0. */
  private long resumeNs;

  void start(ReadyToSend attributes) {
    timeoutNs = attributes.timeout() == 0 ? NEVER : TIMEOUT_UNIT_NS << attributes.timeout();
    retryCount = attributes.retryCount();
    rnrRetryCount = attributes.rnrRetryCount();
    onProgress();
  }

  /** All retries are there again. */
  void onProgress() {
    timeoutsInARow = 0;
    retriesLeft = retryCount;
    rnrRetriesLeft = rnrRetryCount;
  }

  long nextDeadlineNs() {
    return isWaiting() ? resumeNs : deadlineNs;
  }

  /** Starts the timer unless it runs. */
  void arm(long nowNs) {
    if (deadlineNs == NEVER && timeoutNs != NEVER) {
      deadlineNs = nowNs + (timeoutNs << Math.min(timeoutsInARow, MOST_DOUBLINGS));
    }
  }

  void disarm() {
    deadlineNs = NEVER;
  }

  /** Whether the timer has run down; then the next one runs longer. */
  boolean isTimedOut(long nowNs) {
    if (nowNs < deadlineNs) {
      return false;
    }
    timeoutsInARow++;
    return true;
  }

  /** Takes one of the retries; false when there is none left. */
  boolean take() {
    return retriesLeft-- > 0;
  }

  /** Takes one of the retries for a receiver that isn't ready; false when there is none left. */
  boolean takeForReceiver() {
    return rnrRetryCount == RNR_RETRY_FOR_EVER || rnrRetriesLeft-- > 0;
  }

  /** Nothing may be sent until then, and no timer runs. */
  void waitUntil(long resumeNs) {
    this.resumeNs = resumeNs;
    disarm();
  }

  boolean isWaiting() {
    return resumeNs != 0;
  }

  /** Whether something may be sent; if so, the waiting has an end. */
  boolean mayGoOn(long nowNs) {
    if (nowNs < resumeNs) {
      return false;
    }
    resumeNs = 0;
    return true;
  }

  /** Waits for nothing more. */
  void stop() {
    deadlineNs = NEVER;
    resumeNs = 0;
  }
}
