package io.burst.engine.device;

import io.burst.linux.Memory;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.AddressHandle;
import io.burst.verbs.AddressVector;
import io.burst.verbs.MemoryRegion;
import io.burst.verbs.MemoryWindow;
import io.burst.verbs.ProtectionDomain;
import io.burst.verbs.QueuePair;
import io.burst.verbs.QueuePairInit;
import io.burst.verbs.SharedReceiveQueue;
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

  /** The domain, if it is one of this device's. */
  static LocalProtectionDomain of(ProtectionDomain domain, LocalDevice device) {
    if (domain instanceof LocalProtectionDomain local && local.device == device) {
      return local;
    }
    throw new IllegalArgumentException("the protection domain is not one of this device's");
  }

  @Override
  public MemoryRegion registerMemory(ByteBuffer buffer, Set<AccessFlag> access) {
    return register(buffer, Memory.addressOf(buffer), buffer.capacity(), access);
  }

  @Override
  public MemoryRegion registerMemory(long address, long lengthBytes, Set<AccessFlag> access) {
    return register(null, address, lengthBytes, access);
  }

  private MemoryRegion register(ByteBuffer buffer, long address, long lengthBytes, Set<AccessFlag> access) {
    LocalMemoryRegion region =
        new LocalMemoryRegion(this, buffer, LocalMemoryRegion.register(this, address, lengthBytes, access));
    device.keepRegion(region);
    acquire();
    return region;
  }

  @Override
  public MemoryWindow allocateMemoryWindow() {
    MemoryWindow window = new LocalMemoryWindow(this);
    acquire();
    return window;
  }

  @Override
  public SharedReceiveQueue createSharedReceiveQueue(int depth) {
    SharedReceiveQueue receives = new LocalSharedReceiveQueue(this, depth);
    acquire();
    return receives;
  }

  @Override
  public AddressHandle createAddressHandle(AddressVector address) {
    AddressHandle handle = new LocalAddressHandle(this, device.resolveDatagrams(address));
    acquire();
    return handle;
  }

  @Override
  public QueuePair createQueuePair(QueuePairInit init) {
    QueuePair queuePair =
        switch (init.type()) {
          case RELIABLE_CONNECTION, UNRELIABLE_CONNECTION -> new LocalConnection(this, init);
          case UNRELIABLE_DATAGRAM -> new LocalDatagramQueuePair(this, init);
        };
    acquire();
    return queuePair;
  }

  @Override
  public void close() {
    if (uses.get() != 0) {
      throw new VerbsException("EBUSY: " + uses.get() + " resources are in the protection domain");
    }
  }

  LocalDevice device() {
    return device;
  }

  int number() {
    return number;
  }

  void acquire() {
    uses.incrementAndGet();
  }

  void release() {
    uses.decrementAndGet();
  }
}
