package io.burst.engine.device;

import io.burst.engine.qp.MemoryTable;
import io.burst.engine.qp.Path;
import io.burst.engine.wire.Flow;
import io.burst.engine.worker.Worker;
import io.burst.spi.PacketPort;
import io.burst.verbs.AddressVector;
import io.burst.verbs.AsyncEvent;
import io.burst.verbs.CompletionQueue;
import io.burst.verbs.Device;
import io.burst.verbs.Gid;
import io.burst.verbs.PathMtu;
import io.burst.verbs.ProtectionDomain;
import io.burst.verbs.VerbsException;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** The verbs of one port for applications in this process. Any thread. */
final class LocalDevice implements Device, AutoCloseable {
  private final String name;
  private final PacketPort port;
  private final List<Gid> gids;
  private final PathMtu activeMtu;
  private final MemoryTable memory = new MemoryTable();
  private final Worker worker;
  /** Keys lead to their memory for as long as they are open, whether or not the application keeps the objects. */
  private final Set<LocalMemoryRegion> openRegions = ConcurrentHashMap.newKeySet();
  private final Queue<AsyncEvent> events = new ConcurrentLinkedQueue<>();
  private final AtomicInteger nextDomain = new AtomicInteger(1);

  private LocalDevice(String name, PacketPort port) throws IOException {
    this.name = name;
    this.port = port;
    gids = port.addresses().stream().map(Gid::of).toList();
    activeMtu = PathMtu.largestFor(port.mtuBytes());
    worker = new Worker(name, port, memory);
  }

  /** Takes over a port whose link carries a path MTU; closes it when the device can't be had. */
  static LocalDevice open(String name, PacketPort port) throws IOException {
    try {
      return new LocalDevice(name, port);
    } catch (IOException e) {
      port.close();
      throw e;
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public PathMtu activeMtu() {
    return activeMtu;
  }

  @Override
  public List<Gid> gids() {
    return gids;
  }

  @Override
  public ProtectionDomain allocateProtectionDomain() {
    return new LocalProtectionDomain(this, nextDomain.getAndIncrement());
  }

  @Override
  public CompletionQueue createCompletionQueue(int capacity) {
    return createCompletionQueue(capacity, () -> {});
  }

  @Override
  public CompletionQueue createCompletionQueue(int capacity, Runnable listener) {
    return new LocalCompletionQueue(this, capacity, listener);
  }

  @Override
  public AsyncEvent pollEvent() {
    return events.poll();
  }

  @Override
  public void close() {
    worker.close();
  }

  Worker worker() {
    return worker;
  }

  MemoryTable memory() {
    return memory;
  }

  int linkMtuBytes() {
    return port.mtuBytes();
  }

  /** For a worker's thread too. */
  void raise(AsyncEvent event) {
    events.add(event);
  }

  /** The element is gone, and with it what there was to say of it. */
  void forgetEvents(Object element) {
    events.removeIf(event -> event.element() == element);
  }

  void keepRegion(LocalMemoryRegion region) {
    openRegions.add(region);
  }

  void forgetRegion(LocalMemoryRegion region) {
    openRegions.remove(region);
  }

  int datagramSourcePort(int localNumber) {
    return port.udpSourcePort(Flow.datagramSourcePort(localNumber));
  }

  /** Finds the way for datagrams, whose source port is their queue pair's; may wait for a neighbour entry. */
  Path resolveDatagrams(AddressVector address) {
    return resolve(address, 0, 0);
  }

  /** Finds the way to a peer; may wait for its neighbour entry. */
  Path resolve(AddressVector address, int localNumber, int remoteNumber) {
    Gid local = sourceGid(address);
    Gid remote = address.destination();
    if (local.isIpv4() != remote.isIpv4()) {
      throw new VerbsException("EINVAL: GID index " + address.sourceGidIndex() + " (" + local + ") and the peer's "
          + remote + " are of different address families");
    }
    try {
      int sourcePort = port.udpSourcePort(Flow.sourcePort(localNumber, remoteNumber));
      Flow flow = new Flow(local.address(), remote.address(), sourcePort, address.trafficClass());
      return new Path(flow, port.resolve(local.address(), remote.address()), local, remote);
    } catch (IOException e) {
      throw new VerbsException("EHOSTUNREACH: " + e.getMessage(), e);
    }
  }

  private Gid sourceGid(AddressVector address) {
    int index = address.sourceGidIndex();
    if (index < 0 || index >= gids.size()) {
      throw new VerbsException("EINVAL: GID index " + index + " is not in 0.." + (gids.size() - 1));
    }
    return gids.get(index);
  }
}
