package io.burst.engine.device;

import io.burst.verbs.MemoryWindow;

/** A memory window of a {@link LocalProtectionDomain}: a place in the device's memory table. Any thread. */
final class LocalMemoryWindow implements MemoryWindow {
  private final LocalProtectionDomain domain;
  private final int firstKey;
  private boolean open = true;

  LocalMemoryWindow(LocalProtectionDomain domain) {
    this.domain = domain;
    firstKey = domain.device().memory().addWindow(domain.number()).key();
  }

  /** Without the lock, which a thread may hold that waits for the worker, whose listener asks. */
  @Override
  public int remoteKey() {
    return domain.device().memory().currentKey(firstKey);
  }

  /** Between two rounds of the worker, which may be about to bind it. */
  @Override
  public synchronized void close() {
    if (open) {
      domain.device().worker().release(endpoint -> domain.device().memory().remove(firstKey));
      domain.release();
      open = false;
    }
  }
}
