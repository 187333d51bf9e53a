package io.burst.engine.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.port.FaultConfig;
import io.burst.engine.port.FaultPort;
import io.burst.engine.qp.Counter;
import io.burst.verbs.PathMtu;
import io.burst.verbs.SendOpcode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Two endpoints over a faulty link under a virtual clock: whatever the link does, each request is executed once and in
 * order, every byte is where it belongs and no other was touched, and every request completes once. The system
 * properties sim.runs and sim.seed (profile sim) say how many runs, and which is the first; a failure names its seed.
 */
class ConversationTest {
  private static final int RUNS = Integer.getInteger("sim.runs", 1000);
  private static final long FIRST_SEED = Long.getLong("sim.seed", 1);
  private static final int MOST_MISMATCHES_TOLD = 5;
  private static final int FEWEST_REQUESTS = 100;
  private static final int MOST_QUEUE_PAIRS = 4;
  private static final int LONGEST_BYTES = 20_000;
  private static final double MOST_LOSS = 0.1;
  private static final long LONGEST_RUN_NS = TimeUnit.MINUTES.toNanos(10);
  private static final PathMtu[] MTUS = PathMtu.values();

  /** What the runs have to reach, as a share of them, to be worth their name. */
  private static final Counter[] REACHED = {
    Counter.DUPLICATE_REQUEST,
    Counter.OUT_OF_SEQUENCE,
    Counter.PACKET_SEQ_ERR,
    Counter.OUT_OF_BUFFER,
    Counter.RCVD_RNR_ERR,
    Counter.LOCAL_ACK_TIMEOUT_ERR,
    Counter.IMPLIED_NAK_SEQ_ERR,
    Counter.RETRANSMITTED_PKTS,
    Counter.RX_ICRC_ENCAPSULATED
  };

  private final Map<Counter, Long> totals = new EnumMap<>(Counter.class);
  private final Map<SendOpcode, Long> requests = new EnumMap<>(SendOpcode.class);
  private long faults;
  private long queuePairs;
  private long givenUp;

  @Test
  void everyRequestIsExecutedOnceAndInOrder() throws IOException {
    List<AssertionError> mismatches = new ArrayList<>();
    for (long seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
      try {
        converse(seed);
      } catch (RuntimeException | AssertionError e) {
        mismatches.add(new AssertionError("seed " + seed + ": " + e.getMessage(), e));
      }
    }
    System.out.println("queue pairs " + queuePairs + ", of which gave up " + givenUp);
    System.out.println("requests " + requests + ", faults " + faults + ", counters " + totals);
    System.out.println(RUNS + " runs, " + mismatches.size() + " mismatches");
    mismatches.stream().limit(MOST_MISMATCHES_TOLD).forEach(e -> System.out.println(e.getMessage()));
    if (!mismatches.isEmpty()) {
      throw mismatches.get(0);
    }
    assertThat(givenUp).as("queue pairs that gave up, which takes eight losses in a row").isLessThan(1 + RUNS / 100);
    for (Counter reached : REACHED) {
      assertThat(totals.get(reached)).as(reached.label()).isGreaterThan(RUNS);
    }
  }

  private void converse(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    int timeout = 4 + random.nextInt(6);
    long timeoutNs = 4096L << timeout;
    boolean ipv6 = random.nextBoolean();
    Wire.End[] ends = new Wire(timeoutNs / 16).ends(address(ipv6, 1), address(ipv6, 2));
    Peer a = new Peer(random.split(), faulty(ends[0], random, timeoutNs));
    Peer b = new Peer(random.split(), faulty(ends[1], random, timeoutNs));
    for (int i = 1 + random.nextInt(MOST_QUEUE_PAIRS); i > 0; i--) {
      join(random, a, b, timeout);
    }
    run(a, b);
    a.checkEnd();
    b.checkEnd();
    count(a);
    count(b);
    long hits = a.faults() + b.faults();
    assertThat(hits).as("faults that hit").isPositive();
    faults += hits;
    queuePairs += a.applications.size();
    givenUp += a.givenUp();
  }

  /** A quarter of the PSNs start where they soon wrap. */
  private void join(SplittableRandom random, Peer a, Peer b, int timeout) throws IOException {
    Script forth = new Script(random, FEWEST_REQUESTS + random.nextInt(20), LONGEST_BYTES);
    Script back = new Script(random, FEWEST_REQUESTS + random.nextInt(20), LONGEST_BYTES);
    count(forth);
    count(back);
    long timeoutNs = 4096L << timeout;
    Application atA = new Application(random.split(), a, forth, back, timeoutNs);
    Application atB = new Application(random.split(), b, back, forth, timeoutNs);
    int aPsn = random.nextInt(4) == 0 ? 0xFF_FFF0 : random.nextInt(1 << 24);
    int bPsn = random.nextInt(4) == 0 ? 0xFF_FFF0 : random.nextInt(1 << 24);
    PathMtu mtu = MTUS[random.nextInt(MTUS.length)];
    int rnrTimer = 1 + random.nextInt(8);
    int readAtomic = 1 + random.nextInt(4);
    int aNumber = atA.connection.number();
    int bNumber = atB.connection.number();
    atA.connect(
        atB,
        a.path(b, aNumber, bNumber),
        new Application.Connecting(aPsn, bPsn, mtu, timeout, rnrTimer, readAtomic));
    atB.connect(
        atA,
        b.path(a, bNumber, aNumber),
        new Application.Connecting(bPsn, aPsn, mtu, timeout, rnrTimer, readAtomic));
    a.applications.add(atA);
    b.applications.add(atB);
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
            0.001 + random.nextDouble(MOST_LOSS),
            random.nextDouble(0.05),
            random.nextDouble(0.05),
            random.nextDouble(0.05),
            random.nextDouble(0.05),
            random.nextLong(2 * timeoutNs),
            random.nextLong()));
  }

  private void count(Script script) {
    script.requests().forEach(request -> requests.merge(request.opcode(), 1L, Long::sum));
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
