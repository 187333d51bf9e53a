package io.burst.engine.device;

import io.burst.engine.qp.Region;
import io.burst.linux.Memory;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.MemoryRegion;
import io.burst.verbs.ProtectionDomain;
import io.burst.verbs.QueuePair;
import io.burst.verbs.QueuePairInit;
import io.burst.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A protection domain of a {@link LocalDevice}. Any thread. */
final class LocalProtectionDomain implements ProtectionDomain {
  private final LocalDevice device;
  private final int number;
  private final AtomicInteger uses = new AtomicInteger();

  LocalProtectionDomain(LocalDevice device, int number) {
    this.device = device;
    this.number = number;
  }

  @Override
  public MemoryRegion registerMemory(ByteBuffer buffer, Set<AccessFlag> access) {
    if (!buffer.isDirect()) {
      throw new IllegalArgumentException("only a direct buffer can be registered");
    }
    if (!access.contains(AccessFlag.LOCAL_WRITE)
        && (access.contains(AccessFlag.REMOTE_WRITE) || access.contains(AccessFlag.REMOTE_ATOMIC))) {
      throw new VerbsException("EINVAL: REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE");
    }
    Region region = device.memory().add(number, Memory.addressOf(buffer), buffer.capacity(), Region.mask(access));
    uses.incrementAndGet();
    return new LocalMemoryRegion(this, buffer, region);
  }

  @Override
  public QueuePair createQueuePair(QueuePairInit init) {
    LocalQueuePair queuePair = new LocalQueuePair(this, init);
    uses.incrementAndGet();
    return queuePair;
  }

  @Override
  public void close() {
    if (uses.get() != 0) {
      throw new VerbsException("EBUSY: " + uses.get() + " memory regions and queue pairs are in the protection domain");
    }
  }

  LocalDevice device() {
    return device;
  }

  int number() {
    return number;
  }

  void release() {
    uses.decrementAndGet();
  }
}
