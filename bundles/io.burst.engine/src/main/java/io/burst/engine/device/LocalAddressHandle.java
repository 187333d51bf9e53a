package io.burst.engine.device;

import io.burst.engine.qp.Path;
import io.burst.verbs.AddressHandle;
import java.util.concurrent.atomic.AtomicBoolean;

/** A way for the datagrams of a {@link LocalProtectionDomain}. Any thread. */
final class LocalAddressHandle implements AddressHandle {
  private final LocalProtectionDomain domain;
  private final Path path;
  private final AtomicBoolean open = new AtomicBoolean(true);

  LocalAddressHandle(LocalProtectionDomain domain, Path path) {
    this.domain = domain;
    this.path = path;
  }

  boolean isOf(LocalProtectionDomain domain) {
    return this.domain == domain;
  }

  Path path() {
    return path;
  }

  @Override
  public void close() {
    if (open.compareAndSet(true, false)) {
      domain.release();
    }
  }
}
