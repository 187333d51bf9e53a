package io.burst.engine.sim;

import io.burst.engine.qp.Counters;
import io.burst.engine.qp.Endpoint;
import io.burst.engine.qp.MemoryTable;
import io.burst.engine.qp.Path;
import io.burst.engine.qp.Region;
import io.burst.engine.sim.model.Grant;
import io.burst.engine.sim.model.Host;
import io.burst.engine.sim.model.Mismatch;
import io.burst.engine.sim.model.Pieces;
import io.burst.engine.sim.model.SharedWord;
import io.burst.engine.wire.Flow;
import io.burst.spi.Frame;
import io.burst.spi.PacketPort;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.Completion;
import io.burst.verbs.Gid;
import io.burst.verbs.ScatterGatherList;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * One end of a simulated run: an endpoint on a faulty link, memory, and an application on each of the queue pairs.
 * Belongs to the thread of its run.
 */
final class Peer {
  static final int[] DOMAINS = {1, 2};

  private static final int WRITABLE_BYTES = 900 * 1024;
  private static final int SHARED_WORDS = 2;
  private static final int READABLE_BYTES = 450 * 1024;

  final Counters counters = new Counters();
  final Completions sendCompletions;
  final Completions receiveCompletions;
  final Endpoint endpoint;
  final Host host;
  final List<Application> applications = new ArrayList<>();
  /** What its connections give their other ends. */
  final List<Target> targets = new ArrayList<>();
  final List<SharedWord> sharedWords = new ArrayList<>();

  private final Map<Integer, SharedQueue> sharedQueues = new TreeMap<>();
  private final Arena arena;
  private final MemoryTable table = new MemoryTable();
  private final Map<Integer, Region> regions = new HashMap<>();
  /** Where the addresses of zero-based memory count from, by key. */
  private final Map<Integer, Integer> zeroAt = new HashMap<>();
  private final Map<Integer, LocalMemory> writable = new HashMap<>();
  private final Map<Integer, LocalMemory> readable = new HashMap<>();
  private final Map<Integer, Integer> sharedKeys = new HashMap<>();
  private final PacketPort port;
  private Completion completion = new Completion();

  Peer(SplittableRandom random, PacketPort port, Arena arena) {
    this.port = port;
    this.arena = arena;
    host = arena.fill();
    sendCompletions = new Completions(random.split());
    receiveCompletions = random.nextBoolean() ? sendCompletions : new Completions(random.split());
    endpoint = new Endpoint(table, counters, random.nextInt(), (connection, defect) -> { throw defect; });
    for (int domain : DOMAINS) {
      writable.put(domain, local(domain, WRITABLE_BYTES, EnumSet.of(AccessFlag.LOCAL_WRITE)));
      readable.put(domain, local(domain, READABLE_BYTES, EnumSet.noneOf(AccessFlag.class)));
    }
    int words = takeMemory(SHARED_WORDS * Long.BYTES);
    for (int domain : DOMAINS) {
      EnumSet<AccessFlag> access = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC);
      sharedKeys.put(domain, register(domain, words, SHARED_WORDS * Long.BYTES, access));
    }
    for (int i = 0; i < SHARED_WORDS; i++) {
      sharedWords.add(new SharedWord(host, words + i * Long.BYTES));
    }
  }

  static int otherDomain(int domain) {
    return DOMAINS[0] + DOMAINS[1] - domain;
  }

  private LocalMemory local(int domain, int bytes, Set<AccessFlag> access) {
    int start = arena.take(bytes);
    return new LocalMemory(register(domain, start, bytes, access), start, bytes);
  }

  /** Memory of a domain for buffers that are written. */
  LocalMemory writable(int domain) {
    return writable.get(domain);
  }

  /** Memory of a domain for buffers that are only read. */
  LocalMemory readable(int domain) {
    return readable.get(domain);
  }

  /** The key of the words that all queue pairs may change. */
  int sharedKey(int domain) {
    return sharedKeys.get(domain);
  }

  long address(long offset) {
    return arena.address() + offset;
  }

  int takeMemory(int bytes) {
    return arena.take(bytes);
  }

  /** @return its key */
  int register(int domain, int start, int lengthBytes, Set<AccessFlag> access) {
    Region region = table.add(domain, address(start), lengthBytes, Region.mask(access));
    return granted(region, domain, start, lengthBytes, access);
  }

  /** Other memory, rights and key in the place of a region. */
  int reregister(int key, int domain, int start, int lengthBytes, Set<AccessFlag> access) {
    host.revoke(key);
    zeroAt.remove(key);
    Region region = table.change(regions.remove(key), domain, address(start), lengthBytes, Region.mask(access));
    return granted(region, domain, start, lengthBytes, access);
  }

  private int granted(Region region, int domain, int start, int lengthBytes, Set<AccessFlag> access) {
    regions.put(region.key(), region);
    host.grant(region.key(), new Grant(domain, start, lengthBytes, access, null));
    name(region.key(), start, access);
    return region.key();
  }

  /** @return the key of a window that is bound to nothing */
  int addWindow(int domain) {
    return table.addWindow(domain).key();
  }

  /** Says what addresses under a key count from. */
  void name(int key, int start, Set<AccessFlag> access) {
    if (access.contains(AccessFlag.ZERO_BASED)) {
      zeroAt.put(key, start);
    } else {
      zeroAt.remove(key);
    }
  }

  /** The shared receives of a domain. */
  SharedQueue sharedQueue(SplittableRandom random, int domain, long mostPauseNs, Histogram histogram) {
    return sharedQueues.computeIfAbsent(
        domain, key -> new SharedQueue(random.split(), this, domain, mostPauseNs, histogram));
  }

  /** What requests call the byte at an offset. */
  long name(int key, long offset) {
    return zeroAt.containsKey(key) ? offset - zeroAt.get(key) : address(offset);
  }

  /** The offset of the byte that requests call so. */
  long offset(int key, long name) {
    return name - name(key, 0);
  }

  void fill(ScatterGatherList into, Pieces pieces) {
    into.clear();
    for (int i = 0; i < pieces.count(); i++) {
      into.add(name(pieces.key()[i], pieces.offset()[i]), pieces.lengthBytes()[i], pieces.key()[i]);
    }
  }

  void deregister(int key) {
    table.remove(regions.remove(key).key());
    host.revoke(key);
    zeroAt.remove(key);
  }

  InetAddress address() {
    return port.addresses().get(0);
  }

  byte[] addressBytes() {
    return address().getAddress();
  }

  /** The way from one of its queue pairs to one of the other end. */
  Path path(Peer other, int number, int otherNumber) throws IOException {
    InetAddress local = address();
    InetAddress remote = other.address();
    Flow flow = new Flow(local, remote, Flow.sourcePort(number, otherNumber), 0);
    return new Path(flow, port.resolve(local, remote), Gid.of(local), Gid.of(remote));
  }

  /** Everything that this end does at one moment. */
  void run(long nowNs) {
    boolean busy;
    do {
      sharedQueues.values().forEach(queue -> queue.act(nowNs));
      applications.forEach(application -> application.act(nowNs));
      busy = exchangeOnce(nowNs) | checkCompletions(nowNs);
    } while (busy);
  }

  /** A packet comes that the other end never sent. */
  void receiveForged(byte[] packet, long nowNs) {
    Frame frame = arena.received[0];
    frame.buffer.put(Frame.HEADROOM_BYTES, packet);
    frame.lengthBytes = packet.length;
    endpoint.onFrame(frame, nowNs);
  }

  /** All packets that can come and go at one moment. */
  void exchange(long nowNs) {
    while (exchangeOnce(nowNs)) {
      // Until nothing moves.
    }
  }

  private boolean exchangeOnce(long nowNs) {
    int arrived = port.receive(arena.received, arena.received.length, nowNs);
    for (int i = 0; i < arrived; i++) {
      endpoint.onFrame(arena.received[i], nowNs);
    }
    endpoint.onTimeout(nowNs);
    int departing = endpoint.pollTransmit(arena.sent, nowNs);
    port.send(arena.sent, departing, nowNs);
    return arrived + departing > 0;
  }

  long nextEventNs() {
    long next = Math.min(port.nextDeadlineNs(), endpoint.nextDeadlineNs());
    for (SharedQueue queue : sharedQueues.values()) {
      next = Math.min(next, queue.nextActNs());
    }
    for (Application application : applications) {
      next = Math.min(next, application.nextActNs());
    }
    return next;
  }

  boolean isDone() {
    return applications.stream().allMatch(Application::isDone);
  }

  private boolean checkCompletions(long nowNs) {
    boolean any = poll(sendCompletions);
    if (receiveCompletions != sendCompletions) {
      any |= poll(receiveCompletions);
    }
    applications.forEach(application -> application.check(nowNs));
    sharedQueues.values().forEach(SharedQueue::check);
    sendCompletions.check();
    if (receiveCompletions != sendCompletions) {
      receiveCompletions.check();
    }
    return any;
  }

  private boolean poll(Completions from) {
    boolean any = false;
    while (from.poll(completion)) {
      any = true;
      find(completion.queuePairNumber).take(completion);
      completion = new Completion();
    }
    return any;
  }

  private Application find(int number) {
    for (Application application : applications) {
      if (application.queuePair().number() == number) {
        return application;
      }
    }
    throw new Mismatch("a completion of queue pair " + number + ", which is nobody's");
  }
}
