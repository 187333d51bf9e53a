package io.burst.itests.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.burst.itests.peer.Side.Family;
import io.burst.itests.peer.Side.Outcome;
import io.burst.itests.peer.Side.Piece;
import io.burst.itests.peer.Side.Queue;
import io.burst.itests.peer.Side.Service;
import io.burst.itests.peer.Side.Terms;
import io.burst.itests.peer.Side.Work;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every operation between BURST and the Linux kernel's soft-RoCE, in either role, over good and bad networks. The whole
 * matrix runs with the Maven profile {@code peer}, else rows of it that have every pair of values.
 */
class OperationsPeerIT {

  private static final int[] LENGTHS =
      {0, 1, 3, 1023, 1024, 1025, 4095, 4096, 4097, 65536, (1 << 20) + 1, 8 << 20};
  private static final int[] PATH_MTUS = {1024, 4096};
  private static final int[] PIECES = {1, 3, 16};
  private static final int[] PSNS = {0xfffff0, 0};

  /** Where messages start in the buffers, and how much before and behind them is looked at. */
  private static final int OFFSET = 4093;
  private static final int GUARD_BYTES = 64;

  private static final int IMMEDIATE = 0x89abcdef;
  private static final long TIMEOUT_MS = BurstSide.TIMEOUT_MS;

  private static final ByteBuffer MEMORY = ByteBuffer.allocateDirect(Side.BUFFER_BYTES);

  private static SoftRoce guest;
  private static VerbsPeer peer;
  private static Burst burst;
  private static GuestSide theirs;
  private static BurstSide ours;
  private static Network network;
  private static int ran;
  private static int failed;

  /** Who posts the request. */
  enum Role {
    BURST_STARTS,
    GUEST_STARTS;

    Side initiator() {
      return this == BURST_STARTS ? ours : theirs;
    }

    Side target() {
      return this == BURST_STARTS ? theirs : ours;
    }
  }

  /** What happens to packets: on the way from the guest by netem, on the way to it by BURST's fault port. */
  enum Network {
    GOOD("pfifo limit 20000", Map.of()),
    LOSS("netem limit 20000 loss 2%", Map.of("fault.drop", 0.02)),
    REORDERING("netem limit 20000 delay 5ms reorder 95%", Map.of("fault.reorder", 0.05)),
    DUPLICATION("netem limit 20000 duplicate 1%", Map.of("fault.duplicate", 0.01));

    private final String queueing;
    private final Map<String, ?> faults;

    Network(String queueing, Map<String, ?> faults) {
      this.queueing = queueing;
      this.faults = faults;
    }
  }

  /** A message on a reliable connection. */
  record Case(Network network, Role role, Family family, int pathMtu, Operation operation, int lengthBytes, int pieces,
      int psn, boolean sharedReceives) {

    Terms terms() {
      return Terms.of(Service.RC, family, pathMtu).withPsn(psn).withSharedReceives(sharedReceives);
    }
  }

  private static final Operation[] OPERATIONS = {Operation.SEND, Operation.SEND_WITH_IMMEDIATE,
      Operation.SEND_WITH_INVALIDATE, Operation.WRITE, Operation.WRITE_WITH_IMMEDIATE, Operation.READ};

  static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    if (Boolean.getBoolean("burst.peer.all")) {
      int[] sizes = {Network.values().length, 2, 2, PATH_MTUS.length, OPERATIONS.length, LENGTHS.length};
      int all = 1;
      for (int size : sizes) {
        all *= size;
      }
      for (int i = 0; i < all; i++) {
        int[] row = new int[9];
        for (int factor = 0, rest = i; factor < sizes.length; rest /= sizes[factor++]) {
          row[factor] = rest % sizes[factor];
        }
        // The rest in turn, so that each meets everything else.
        row[6] = i / 7 % PIECES.length;
        row[7] = i / 5 % PSNS.length;
        row[8] = i / 11 % 2;
        cases.add(of(row));
      }
    } else {
      Pairwise.rows(Network.values().length, 2, 2, PATH_MTUS.length, OPERATIONS.length, LENGTHS.length, PIECES.length,
          PSNS.length, 2).forEach(row -> cases.add(of(row)));
    }
    cases.sort(Comparator.comparing(Case::network));
    return cases;
  }

  private static Case of(int[] row) {
    return new Case(Network.values()[row[0]], Role.values()[row[1]], Family.values()[row[2]], PATH_MTUS[row[3]],
        OPERATIONS[row[4]], LENGTHS[row[5]], PIECES[row[6]], PSNS[row[7]], row[8] == 1);
  }

  @BeforeAll
  static void start() throws Exception {
    String missing = SoftRoce.missing();
    assumeTrue(missing.isEmpty(), missing);
    guest = SoftRoce.upBesideThisJvm();
    peer = guest.verbsPeer();
    theirs = new GuestSide(guest, peer);
    burst = Burst.start();
  }

  @AfterAll
  static void stop() throws Exception {
    System.out.println("OperationsPeerIT: " + ran + " cases ran, " + failed + " failed");
    if (burst != null) {
      leaveNetwork();
      burst.stop();
    }
    if (peer != null) {
      peer.close();
    }
    if (guest != null) {
      guest.down();
    }
  }

  private static void enter(Network wanted) throws Exception {
    if (network == wanted) {
      return;
    }
    leaveNetwork();
    guest.run("tc qdisc replace dev eth0 root " + wanted.queueing);
    ours = new BurstSide(guest, burst.openDevice(guest.link(), wanted.faults), MEMORY);
    network = wanted;
  }

  private static void leaveNetwork() throws Exception {
    if (ours != null) {
      ours.close();
      ours = null;
      network = null;
      burst.closeDevice();
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyByteArrives(Case one) throws Exception {
    count(one.network, () -> play(one));
  }

  /** Something that may fail. */
  private interface Attempt {
    void run() throws Exception;
  }

  private static void count(Network wanted, Attempt attempt) throws Exception {
    enter(wanted);
    ran++;
    failed++;
    try {
      attempt.run();
      failed--;
    } catch (Exception | AssertionError e) {
      e.addSuppressed(new Exception("BURST's counters: " + burst.counters()));
      throw e;
    }
  }

  private static void play(Case one) {
    Side initiator = one.role.initiator();
    Side target = one.role.target();
    try (Queue from = initiator.create(one.terms()); Queue to = target.create(one.terms())) {
      from.connect(to.number());
      to.connect(from.number());
      Side source = one.operation == Operation.READ ? target : initiator;
      Side sink = one.operation == Operation.READ ? initiator : target;
      long seed = one.hashCode();
      source.fill(OFFSET, one.lengthBytes, seed);
      sink.poison(OFFSET - GUARD_BYTES, one.lengthBytes + 2 * GUARD_BYTES);

      int window = one.operation == Operation.SEND_WITH_INVALIDATE ? to.bindWindow(OFFSET, 64) : 0;
      List<Piece> pieces = pieces(one.lengthBytes, one.pieces);
      if (one.operation.takesReceive()) {
        to.receive(11, one.operation.isSend() ? pieces(one.lengthBytes, PIECES.length - one.pieces % 2) : List.of());
      }
      from.send(12, Work.of(one.operation, pieces)
          .immediate(IMMEDIATE)
          .at(target.address() + OFFSET, target.remoteKey())
          .invalidating(window));

      assertDone(from.await(TIMEOUT_MS), 12, completionName(one.operation));
      if (one.operation.takesReceive()) {
        assertReceived(to.await(TIMEOUT_MS), one, window);
      }
      assertThat(sink.mismatch(OFFSET, one.lengthBytes, seed)).as("first wrong byte").isEqualTo(-1);
      assertThat(sink.spoiled(OFFSET - GUARD_BYTES, GUARD_BYTES)).as("written before the message").isEqualTo(-1);
      assertThat(sink.spoiled(OFFSET + one.lengthBytes, GUARD_BYTES)).as("written behind it").isEqualTo(-1);
      assertThat(source.mismatch(OFFSET, one.lengthBytes, seed)).as("changed at the source").isEqualTo(-1);
      if (window != 0) {
        assertWindowIsGone(from, target, window);
      }
    }
  }

  private static String completionName(Operation operation) {
    return switch (operation) {
      case SEND, SEND_WITH_IMMEDIATE, SEND_WITH_INVALIDATE -> "send";
      case WRITE, WRITE_WITH_IMMEDIATE -> "write";
      default -> operation.guestName;
    };
  }

  /** Uneven parts of the message, in order. */
  private static List<Piece> pieces(int lengthBytes, int count) {
    List<Piece> pieces = new ArrayList<>();
    int start = 0;
    for (int i = 1; i <= count; i++) {
      int end = i == count ? lengthBytes : (int) ((long) lengthBytes * i * i / (count * count));
      pieces.add(new Piece(OFFSET + start, end - start));
      start = end;
    }
    return pieces;
  }

  private static void assertDone(Outcome outcome, long work, String opcode) {
    assertThat(outcome).as("completion of the request").isNotNull();
    assertThat(outcome.status()).as("status").isZero();
    assertThat(outcome.work()).isEqualTo(work);
    assertThat(outcome.opcode()).isEqualTo(opcode);
  }

  private static void assertReceived(Outcome outcome, Case one, int window) {
    boolean write = one.operation == Operation.WRITE_WITH_IMMEDIATE;
    assertDone(outcome, 11, write ? "receive-write-imm" : "receive");
    assertThat(outcome.lengthBytes()).isEqualTo(one.lengthBytes);
    assertThat(outcome.immediate()).isEqualTo(one.operation.opcode.hasImmediate() ? IMMEDIATE : null);
    assertThat(outcome.invalidated()).isEqualTo(window == 0 ? null : window);
  }

  /** 10 is IBV_WC_REM_ACCESS_ERR. */
  private static void assertWindowIsGone(Queue from, Side target, int window) {
    from.send(13, Work.of(Operation.WRITE, List.of(new Piece(OFFSET, 1))).at(target.address() + OFFSET, window));
    assertThat(from.await(TIMEOUT_MS).status()).as("a WRITE to the window afterwards").isEqualTo(10);
  }

  @Test
  void aBadCommandIsAnsweredByOneLine() {
    assertThat(peer.exchange("nonsense")).isEqualTo("error unknown command nonsense");
  }
}
