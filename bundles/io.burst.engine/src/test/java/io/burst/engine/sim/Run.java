package io.burst.engine.sim;

import io.burst.engine.qp.Counter;
import io.burst.engine.sim.model.End;
import io.burst.engine.sim.model.Mismatch;
import io.burst.engine.sim.model.SharedWord;
import io.burst.engine.sim.model.UnreliableEnd;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** One run: two ends with several connections over one faulty link, all of it drawn from a seed. */
final class Run {
  private static final int FEWEST_CONNECTIONS = 3;
  private static final int MOST_CONNECTIONS = 5;
  private static final int UNRELIABLE_MESSAGES = 40;
  private static final int[] INLINE_BYTES = {0, 16, 300};
  private static final int FEWEST_REQUESTS = 200;
  private static final long LONGEST_NS = TimeUnit.MINUTES.toNanos(10);
  private static final int MOST_STEPS = 100_000;
  private static final int LATENCIES_A_TIMEOUT = 16;

  /** The two ends' memory, which one run after the other uses. */
  private static final Arena ARENA_A = new Arena();
  private static final Arena ARENA_B = new Arena();

  private final SplittableRandom random;
  private final Histogram histogram;
  private final Faults faults;
  private final int timeout;
  private final Peer a;
  private final Peer b;
  private long nowNs;
  private int steps;

  Run(long seed, Histogram histogram) throws IOException {
    this.histogram = histogram;
    random = new SplittableRandom(seed);
    timeout = 4 + random.nextInt(6);
    long timeoutNs = 4096L << timeout;
    long latencyNs = timeoutNs / LATENCIES_A_TIMEOUT;
    faults = random.nextInt(4) == 0 ? Faults.none(latencyNs) : Faults.draw(random, latencyNs, timeoutNs);
    boolean ipv6 = random.nextBoolean();
    Link.Port[] ports = new Link(random.split(), faults, histogram).ports(address(ipv6, 1), address(ipv6, 2));
    a = new Peer(random.split(), ports[0], ARENA_A);
    b = new Peer(random.split(), ports[1], ARENA_B);
    int connections = FEWEST_CONNECTIONS + random.nextInt(MOST_CONNECTIONS - FEWEST_CONNECTIONS + 1);
    int requests = FEWEST_REQUESTS / (2 * connections - 2) + 1;
    for (int i = 0; i < connections; i++) {
      boolean doomed = i == 0 && random.nextInt(2) == 0;
      connect(i, requests, doomed ? pick(Doom.values()) : Doom.NONE);
    }
    if (random.nextInt(3) == 0) {
      connectUnreliably();
    }
    if (random.nextInt(3) == 0) {
      exchangeDatagrams();
    }
    histogram.add("links", (ipv6 ? "IPv6 " : "IPv4 ") + (faults.isNone() ? "clean" : "faulty"));
  }

  /** Runs until all that was asked for is done, and the link is quiet. */
  void execute() {
    while (!(a.isDone() && b.isDone() && nextEventNs() == Long.MAX_VALUE)) {
      step();
    }
    finish(a);
    finish(b);
    a.applications.forEach(Application::checkEnd);
    b.applications.forEach(Application::checkEnd);
    check(a);
    check(b);
    checkCleanLink();
  }

  private void step() {
    long nextNs = nextEventNs();
    Mismatch.unless(nextNs < LONGEST_NS && ++steps < MOST_STEPS, "it hangs: %s, %s", a.applications, b.applications);
    nowNs = Math.max(nowNs, nextNs);
    a.run(nowNs);
    b.run(nowNs);
  }

  /** Gives everything up that is still there: its receives are flushed. */
  private void finish(Peer peer) {
    peer.applications.forEach(Application::giveUp);
    peer.run(nowNs);
  }

  private void check(Peer peer) {
    peer.sharedWords.forEach(SharedWord::checkEnd);
    peer.host.checkAll();
    for (Counter counter : Counter.values()) {
      histogram.add("counters", counter.label(), peer.counters.get(counter));
    }
  }

  /** Where nothing is lost nothing is missed. */
  private void checkCleanLink() {
    if (faults.isNone()) {
      for (Counter counter : List.of(Counter.IMPLIED_NAK_SEQ_ERR, Counter.PACKET_SEQ_ERR)) {
        long count = a.counters.get(counter) + b.counters.get(counter);
        Mismatch.unless(count == 0, "%d of %s on a link that loses nothing", count, counter.label());
      }
    }
  }

  private long nextEventNs() {
    return Math.min(a.nextEventNs(), b.nextEventNs());
  }

  private void connect(int index, int requests, Doom doom) throws IOException {
    int domainA = Peer.DOMAINS[index % 2];
    int domainB = Peer.DOMAINS[random.nextInt(2)];
    SharedQueue sharedA = sharedQueue(a, domainA, doom);
    SharedQueue sharedB = sharedQueue(b, domainB, doom);
    Terms terms = Terms.draw(random, !faults.isNone(), timeout, sharedA != null || sharedB != null, doom);
    Target targetA = new Target(random.split(), a, domainA);
    Target targetB = new Target(random.split(), b, domainB);
    a.targets.add(targetA);
    b.targets.add(targetB);
    int doomAt = doom.isRequest() ? random.nextInt(requests) : Integer.MAX_VALUE;
    Work forth = work(targetA, targetB, terms, sharedB, doom, doomAt);
    Work back = work(targetB, targetA, terms, sharedA, Doom.NONE, Integer.MAX_VALUE);
    ReliableApplication atA =
        new ReliableApplication(random.split(), a, forth, back, terms, sharedA, requests, histogram);
    ReliableApplication atB =
        new ReliableApplication(random.split(), b, back, forth, terms, sharedB, requests, histogram);
    End.connect(atA.end, atB.end);
    int numberA = atA.queuePair().number();
    int numberB = atB.queuePair().number();
    int depthA = terms.readAtomicA();
    int depthB = terms.readAtomicB();
    atA.connect(atB, a.path(b, numberA, numberB), terms.firstPsnA(), terms.firstPsnB(), depthA, depthB);
    atB.connect(atA, b.path(a, numberB, numberA), terms.firstPsnB(), terms.firstPsnA(), depthB, depthA);
    a.applications.add(atA);
    b.applications.add(atB);
    long soonNs = random.nextLong(16 * terms.timeoutNs());
    switch (doom) {
      case PEER_GONE -> atB.removeAt(soonNs);
      case APPLICATION -> (random.nextBoolean() ? atA : atB).failAt(soonNs);
      default -> { }
    }
    histogram.add("dooms", doom);
    histogram.add("path MTUs", terms.mtu().bytes());
  }

  private void connectUnreliably() throws IOException {
    Terms terms = Terms.draw(random, !faults.isNone(), timeout, true, Doom.NONE);
    UnreliableApplication atA = unreliable(a, terms, false);
    UnreliableApplication atB = unreliable(b, terms, false);
    atA.connect(atB, terms.firstPsnA(), terms.firstPsnB());
    atB.connect(atA, terms.firstPsnB(), terms.firstPsnA());
  }

  private void exchangeDatagrams() throws IOException {
    Terms terms = Terms.draw(random, !faults.isNone(), timeout, true, Doom.NONE);
    List<UnreliableApplication> atA = new ArrayList<>();
    List<UnreliableApplication> atB = new ArrayList<>();
    for (int i = 1 + random.nextInt(2); i > 0; i--) {
      atA.add(unreliable(a, terms, true));
    }
    for (int i = 1 + random.nextInt(2); i > 0; i--) {
      atB.add(unreliable(b, terms, true));
    }
    for (UnreliableApplication one : atA) {
      one.address(atB, terms.firstPsnA());
    }
    for (UnreliableApplication one : atB) {
      one.address(atA, terms.firstPsnB());
    }
  }

  private UnreliableApplication unreliable(Peer peer, Terms terms, boolean datagrams) {
    int domain = Peer.DOMAINS[random.nextInt(2)];
    SharedQueue shared = sharedQueue(peer, domain, Doom.NONE);
    UnreliableEnd.Link link = link(shared);
    UnreliableApplication application =
        datagrams
            ? UnreliableApplication.ofDatagrams(
                random.split(), peer, domain, shared, terms, link, UNRELIABLE_MESSAGES, histogram)
            : UnreliableApplication.connected(
                random.split(), peer, domain, shared, terms, link, UNRELIABLE_MESSAGES, histogram);
    if (link != UnreliableEnd.Link.LOSES_NOTHING && random.nextInt(4) == 0) {
      application.failAt(random.nextLong(64 * terms.timeoutNs()));
    }
    peer.applications.add(application);
    return application;
  }

  /** What the link does to messages; with shared receives they may find none. */
  private UnreliableEnd.Link link(SharedQueue shared) {
    if (faults.duplicate() > 0) {
      return UnreliableEnd.Link.DOUBLES;
    }
    if (faults.reorder() > 0 || faults.delay() > 0) {
      return UnreliableEnd.Link.REORDERS;
    }
    boolean exact = faults.isNone() && shared == null;
    return exact ? UnreliableEnd.Link.LOSES_NOTHING : UnreliableEnd.Link.LOSES;
  }

  private Work work(Target own, Target other, Terms terms, SharedQueue shared, Doom doom, int doomAt) {
    int roomBytes = shared == null ? Messages.LONGEST_BYTES : SharedQueue.ROOM_BYTES;
    Messages messages = new Messages(random.split(), terms.mtu().bytes(), roomBytes);
    return new Work(random.split(), own, other, messages, INLINE_BYTES[random.nextInt(3)], doom, doomAt);
  }

  /** The shared receives that a queue pair takes from, or null when it has its own. */
  private SharedQueue sharedQueue(Peer peer, int domain, Doom doom) {
    boolean own = doom.needsOwnReceives() || random.nextInt(3) > 0;
    return own ? null : peer.sharedQueue(random, domain, 4096L << timeout, histogram);
  }

  private <T> T pick(T[] from) {
    return from[random.nextInt(from.length)];
  }

  private static InetAddress address(boolean ipv6, int host) {
    byte[] bytes = new byte[ipv6 ? 16 : 4];
    bytes[0] = (byte) (ipv6 ? 0xFD : 10);
    bytes[bytes.length - 1] = (byte) host;
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
