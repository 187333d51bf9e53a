package io.burst.engine.device;

import io.burst.engine.qp.MemoryTable;
import io.burst.engine.qp.Region;
import io.burst.linux.Memory;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.MemoryRegion;
import io.burst.verbs.ProtectionDomain;
import io.burst.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.Set;

/** Registered memory. Any thread; changes wait until the worker has left the memory that was. */
final class LocalMemoryRegion implements MemoryRegion {
  private LocalProtectionDomain domain;
  /** Read without the lock, which a thread may hold that waits for the worker, whose listener asks for a key. */
  private volatile Region region;
  /** Keeps a registered buffer from being collected, or null. */
  private ByteBuffer buffer;
  private boolean open = true;

  LocalMemoryRegion(LocalProtectionDomain domain, ByteBuffer buffer, Region region) {
    this.domain = domain;
    this.buffer = buffer;
    this.region = region;
  }

  /** Adds a region to the device's table, once it has passed the checks of ibv_reg_mr. */
  static Region register(LocalProtectionDomain domain, long address, long lengthBytes, Set<AccessFlag> access) {
    check(address, lengthBytes, access);
    return table(domain).add(domain.number(), address, lengthBytes, Region.mask(access));
  }

  @Override
  public long address() {
    return region.address();
  }

  @Override
  public long lengthBytes() {
    return region.lengthBytes();
  }

  @Override
  public int localKey() {
    return region.key();
  }

  @Override
  public int remoteKey() {
    return region.key();
  }

  @Override
  public synchronized void reregister(ByteBuffer buffer, Set<AccessFlag> access) {
    change(domain, Memory.addressOf(buffer), buffer.capacity(), access);
    this.buffer = buffer;
  }

  @Override
  public synchronized void reregister(
      ProtectionDomain domain, long address, long lengthBytes, Set<AccessFlag> access) {
    LocalProtectionDomain to = LocalProtectionDomain.of(domain, this.domain.device());
    change(to, address, lengthBytes, access);
    to.acquire();
    this.domain.release();
    this.domain = to;
    buffer = null;
  }

  @Override
  public synchronized void close() {
    if (open) {
      releaseMemory(() -> table(domain).remove(region.key()));
      open = false;
      domain.device().forgetRegion(this);
      domain.release();
      buffer = null;
    }
  }

  private void change(LocalProtectionDomain to, long address, long lengthBytes, Set<AccessFlag> access) {
    check(address, lengthBytes, access);
    if (!open) {
      throw new VerbsException("EINVAL: the memory region is closed");
    }
    releaseMemory(
        () -> region = table(to).change(region, to.number(), address, lengthBytes, Region.mask(access)));
  }

  /** Between two rounds of the worker, which may be about to bind a window; returns when nothing is copied there. */
  private void releaseMemory(Runnable change) {
    domain
        .device()
        .worker()
        .release(
            endpoint -> {
              requireNoWindows();
              change.run();
            });
  }

  private void requireNoWindows() {
    if (region.windows() != 0) {
      throw new VerbsException("EBUSY: " + region.windows() + " memory windows are bound to the region");
    }
  }

  private static MemoryTable table(LocalProtectionDomain domain) {
    return domain.device().memory();
  }

  private static void check(long address, long lengthBytes, Set<AccessFlag> access) {
    if (lengthBytes < 0 || address + lengthBytes < address) {
      throw new VerbsException("EINVAL: a memory region of " + lengthBytes + " bytes at " + address);
    }
    boolean writes = access.contains(AccessFlag.REMOTE_WRITE) || access.contains(AccessFlag.REMOTE_ATOMIC);
    if (writes && !access.contains(AccessFlag.LOCAL_WRITE)) {
      throw new VerbsException("EINVAL: REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE");
    }
  }
}
