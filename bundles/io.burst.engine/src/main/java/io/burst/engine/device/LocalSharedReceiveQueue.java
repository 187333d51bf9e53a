package io.burst.engine.device;

import io.burst.engine.qp.SharedReceives;
import io.burst.verbs.AsyncEvent;
import io.burst.verbs.ReceiveRequest;
import io.burst.verbs.SharedReceiveQueue;
import io.burst.verbs.VerbsException;
import java.util.concurrent.atomic.AtomicInteger;

/** Shared receives of a {@link LocalProtectionDomain}, on the device's worker. Any thread; posts take their turn. */
final class LocalSharedReceiveQueue implements SharedReceiveQueue {
  private final LocalProtectionDomain domain;
  private final SharedReceives receives;
  private final int depth;
  private final AtomicInteger uses = new AtomicInteger();
  private boolean open = true;

  LocalSharedReceiveQueue(LocalProtectionDomain domain, int depth) {
    this.domain = domain;
    this.depth = Limits.check("depth", depth, 1, Limits.DEEPEST_QUEUE);
    receives = new SharedReceives(depth, type -> domain.device().raise(new AsyncEvent(type, this)));
  }

  @Override
  public synchronized boolean post(ReceiveRequest request) {
    Limits.checkLength(request.buffers.totalBytes());
    return receives.post(request.workRequestId, request.buffers);
  }

  @Override
  public void setLimit(int limit) {
    Limits.check("limit", limit, 0, depth);
    domain.device().worker().release(endpoint -> receives.setLimit(limit));
  }

  @Override
  public synchronized void close() {
    if (uses.get() != 0) {
      throw new VerbsException("EBUSY: " + uses.get() + " queue pairs take from the shared receive queue");
    }
    if (open) {
      open = false;
      domain.device().forgetEvents(this);
      domain.release();
    }
  }

  boolean isOf(LocalProtectionDomain domain) {
    return this.domain == domain;
  }

  SharedReceives acquire() {
    uses.incrementAndGet();
    return receives;
  }

  void release() {
    uses.decrementAndGet();
  }
}
