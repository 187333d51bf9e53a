package io.burst.engine.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.port.FaultConfig;
import io.burst.engine.port.FaultPort;
import io.burst.engine.qp.Counter;
import io.burst.verbs.PathMtu;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Two endpoints over a faulty link under a virtual clock: whatever the link does, each message arrives once, in order
 * and whole, and every request completes once. A failure names its seed.
 */
class ConversationTest {
  private static final int RUNS = 1000;
  private static final int FEWEST_REQUESTS = 40;
  private static final int LONGEST_BYTES = 20_000;
  private static final long LONGEST_RUN_NS = TimeUnit.MINUTES.toNanos(10);
  private static final PathMtu[] MTUS = PathMtu.values();

  private final Map<Counter, Long> totals = new EnumMap<>(Counter.class);
  private long faults;

  @Test
  void everyMessageArrivesOnceAndInOrder() throws IOException {
    for (long seed = 1; seed <= RUNS; seed++) {
      try {
        converse(seed);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
    System.out.println(RUNS + " runs, " + faults + " faults, " + totals);
    // The runs have to reach what they are there to test.
    for (Counter reached : new Counter[] {
      Counter.DUPLICATE_REQUEST, Counter.OUT_OF_SEQUENCE, Counter.PACKET_SEQ_ERR, Counter.OUT_OF_BUFFER,
      Counter.RCVD_RNR_ERR, Counter.LOCAL_ACK_TIMEOUT_ERR, Counter.RETRANSMITTED_PKTS, Counter.RX_ICRC_ENCAPSULATED, Counter.IMPLIED_NAK_SEQ_ERR
    }) {
      assertThat(totals.get(reached)).as(reached.label()).isGreaterThan(RUNS);
    }
  }

  private void converse(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    int timeout = 4 + random.nextInt(6);
    long timeoutNs = 4096L << timeout;
    boolean ipv6 = random.nextBoolean();
    Wire.End[] ends = new Wire(timeoutNs / 16).ends(address(ipv6, 1), address(ipv6, 2));
    Script forth = new Script(random, FEWEST_REQUESTS + random.nextInt(20), LONGEST_BYTES);
    Script back = new Script(random, FEWEST_REQUESTS + random.nextInt(20), LONGEST_BYTES);
    Peer a = new Peer(random.split(), faulty(ends[0], random, timeoutNs), forth, back, timeoutNs);
    Peer b = new Peer(random.split(), faulty(ends[1], random, timeoutNs), back, forth, timeoutNs);
    connect(random, timeout, a, b);
    run(a, b);
    a.checkEnd();
    b.checkEnd();
    count(a);
    count(b);
    long hits = a.faults() + b.faults();
    assertThat(hits).as("faults that hit").isPositive();
    faults += hits;
  }

  private static void run(Peer a, Peer b) {
    long nowNs = 0;
    while (!(a.isDone() && b.isDone() && nextEventNs(a, b) == Long.MAX_VALUE)) {
      nowNs = Math.max(nowNs, nextEventNs(a, b));
      assertThat(nowNs).as("virtual time: it hangs").isLessThan(LONGEST_RUN_NS);
      a.run(nowNs);
      b.run(nowNs);
    }
  }

  private static long nextEventNs(Peer a, Peer b) {
    return Math.min(a.nextEventNs(), b.nextEventNs());
  }

  private static FaultPort faulty(Wire.End end, SplittableRandom random, long timeoutNs) {
    return new FaultPort(
        end,
        new FaultConfig(
            0.001 + random.nextDouble(0.05),
            random.nextDouble(0.05),
            random.nextDouble(0.05),
            random.nextDouble(0.05),
            random.nextDouble(0.05),
            random.nextLong(2 * timeoutNs),
            random.nextLong()));
  }

  /** A quarter of the PSNs start where they soon wrap. */
  private static void connect(SplittableRandom random, int timeout, Peer a, Peer b) throws IOException {
    int aPsn = random.nextInt(4) == 0 ? 0xFF_FFF0 : random.nextInt(1 << 24);
    int bPsn = random.nextInt(4) == 0 ? 0xFF_FFF0 : random.nextInt(1 << 24);
    PathMtu mtu = MTUS[random.nextInt(MTUS.length)];
    int rnrTimer = 1 + random.nextInt(8);
    int readAtomic = 1 + random.nextInt(4);
    a.connect(b, new Peer.Connecting(aPsn, bPsn, mtu, timeout, rnrTimer, readAtomic));
    b.connect(a, new Peer.Connecting(bPsn, aPsn, mtu, timeout, rnrTimer, readAtomic));
  }

  private void count(Peer peer) {
    for (Counter counter : Counter.values()) {
      totals.merge(counter, peer.counters.get(counter), Long::sum);
    }
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
