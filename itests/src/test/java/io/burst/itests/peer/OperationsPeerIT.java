package io.burst.itests.peer;

import static io.burst.itests.peer.Message.assertDone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.burst.itests.peer.Side.Family;
import io.burst.itests.peer.Side.Outcome;
import io.burst.itests.peer.Side.Piece;
import io.burst.itests.peer.Side.Queue;
import io.burst.itests.peer.Side.Service;
import io.burst.itests.peer.Side.Terms;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every operation between BURST and the Linux kernel's soft-RoCE, in either role, over good and bad networks. The whole
 * matrix of messages runs with the Maven profile {@code peer}, else rows of it that have every pair of values.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OperationsPeerIT {

  private static final boolean ALL = Boolean.getBoolean("burst.peer.all");
  private static final long TIMEOUT_MS = BurstSide.TIMEOUT_MS;
  private static final int IMMEDIATE = 0x89abcdef;
  private static final int HEADER_BYTES = 40;

  /** Of ibv_wc_status. */
  private static final int FLUSHED = 5;
  private static final int REMOTE_INVALID_REQUEST = 9;
  private static final int REMOTE_ACCESS = 10;
  private static final int REMOTE_OPERATION = 11;
  private static final int RETRY_EXCEEDED = 12;

  /** Of ibv_event_type. */
  private static final int SHARED_QUEUE_LIMIT_REACHED = 15;
  private static final int LAST_RECEIVE_REACHED = 16;

  private static Stage stage;

  @BeforeAll
  static void start() throws Exception {
    String missing = SoftRoce.missing();
    assumeTrue(missing.isEmpty(), missing);
    stage = Stage.open();
  }

  @AfterAll
  static void stop() throws Exception {
    if (stage != null) {
      System.out.println("OperationsPeerIT: " + stage.summary());
      stage.close();
    }
  }

  static List<Message> messages() {
    return Message.cases(ALL);
  }

  @ParameterizedTest
  @MethodSource("messages")
  @Order(1)
  void everyByteArrives(Message message) throws Exception {
    stage.attempt(message.network(), () -> message.play(stage));
  }

  /** A connection in both directions, with what all tests but those of messages agree on. */
  private static final class Connection implements AutoCloseable {

    final Side initiator;
    final Side target;
    final Queue from;
    final Queue to;

    Connection(Role role, Terms terms) {
      initiator = stage.initiator(role);
      target = stage.target(role);
      from = initiator.create(terms);
      to = target.create(terms);
      from.connect(to.number());
      to.connect(from.number());
    }

    Work work(Operation operation, int offset, int lengthBytes) {
      return Work.of(operation, List.of(new Piece(offset, lengthBytes)))
          .immediate(IMMEDIATE).at(target.address() + offset, target.remoteKey());
    }

    @Override
    public void close() {
      from.close();
      to.close();
    }
  }

  record Way(Network network, Role role, Family family) {}

  /** IPv4 and IPv6 in turn. */
  static List<Way> ways() {
    List<Way> ways = new ArrayList<>();
    for (Network network : Network.values()) {
      for (Role role : Role.values()) {
        ways.add(new Way(network, role, Family.values()[ways.size() / 3 % 2]));
      }
    }
    return ways;
  }

  /**
   * Of soft-RoCE no READs when packets overtake each other: an old ACK that comes between the responses makes it
   * complete the READ without its data (a WARNING of rxe_completer in its kernel's log).
   */
  @ParameterizedTest
  @MethodSource("ways")
  @Order(2)
  void mixedWorkIsDoneOnceAndInOrder(Way way) throws Exception {
    List<Operation> kinds = new ArrayList<>(List.of(Operation.SEND, Operation.SEND_WITH_IMMEDIATE, Operation.WRITE,
        Operation.WRITE_WITH_IMMEDIATE, Operation.FETCH_ADD));
    if (way.role == Role.BURST_STARTS || way.network != Network.REORDERING) {
      kinds.add(Operation.READ);
    }
    stage.attempt(way.network, () -> {
      try (Connection c = new Connection(way.role, Terms.of(Service.RC, way.family, 1024))) {
        new MixedWork(kinds, c.initiator, c.target, c.from, c.to, way.hashCode()).run(ALL ? 1000 : 150);
      }
    });
  }

  @ParameterizedTest
  @EnumSource(Network.class)
  @Order(3)
  void bothDirectionsAtOnce(Network network) throws Exception {
    stage.attempt(network, () -> {
      int half = Side.BUFFER_BYTES / 2;
      int lengthBytes = (1 << 20) + 1;
      try (Connection c = new Connection(Role.BURST_STARTS, Terms.of(Service.RC, Family.IPV4, 1024))) {
        c.initiator.fill(0, lengthBytes, 1);
        c.target.fill(half, lengthBytes, 2);
        c.to.receive(1, List.of());
        c.from.receive(2, List.of());
        c.to.send(3, c.work(Operation.WRITE_WITH_IMMEDIATE, half, lengthBytes)
            .at(c.initiator.address() + half, c.initiator.remoteKey()));
        c.from.send(4, c.work(Operation.WRITE_WITH_IMMEDIATE, 0, lengthBytes));
        List<Outcome> here = List.of(c.from.await(TIMEOUT_MS), c.from.await(TIMEOUT_MS));
        List<Outcome> there = List.of(c.to.await(TIMEOUT_MS), c.to.await(TIMEOUT_MS));
        assertThat(here).extracting(Outcome::status).containsOnly(0);
        assertThat(here).extracting(Outcome::work).containsExactlyInAnyOrder(2L, 4L);
        assertThat(there).extracting(Outcome::status).containsOnly(0);
        assertThat(there).extracting(Outcome::work).containsExactlyInAnyOrder(1L, 3L);
        assertThat(c.target.mismatch(0, lengthBytes, 1)).isEqualTo(-1);
        assertThat(c.initiator.mismatch(half, lengthBytes, 2)).isEqualTo(-1);
      }
    });
  }

  @ParameterizedTest
  @MethodSource("ways")
  @Order(4)
  void atomicsFindAndLeaveTheRightValues(Way way) throws Exception {
    long start = 0x1122_3344_5566_7788L;
    long other = 0x99aa_bbcc_ddee_ff00L;
    stage.attempt(way.network, () -> {
      try (Connection c = new Connection(way.role, Terms.of(Service.RC, way.family, 1024))) {
        c.target.store(8, start);
        assertThat(atomic(c, Operation.COMPARE_SWAP, other, 1)).as("found by a swap of another").isEqualTo(start);
        assertThat(c.target.load(8)).isEqualTo(start);
        assertThat(atomic(c, Operation.COMPARE_SWAP, start, other)).as("found by the swap").isEqualTo(start);
        assertThat(c.target.load(8)).isEqualTo(other);
        assertThat(atomic(c, Operation.FETCH_ADD, -1, 0)).as("found by the addition").isEqualTo(other);
        assertThat(c.target.load(8)).isEqualTo(other - 1);
      }
    });
  }

  private static long atomic(Connection c, Operation operation, long value, long swap) {
    c.from.send(5, Work.of(operation, List.of(new Piece(64, Long.BYTES)))
        .at(c.target.address() + 8, c.target.remoteKey()).values(value, swap));
    assertDone(c.from.await(TIMEOUT_MS), 5, operation.guestName);
    return c.initiator.load(64);
  }

  @ParameterizedTest
  @MethodSource("ways")
  @Order(5)
  void atomicWriteWritesEightBytes(Way way) throws Exception {
    assumeTrue("1".equals(stage.peer().ask("device").get("atomic_write")),
        "the guest's kernel has no ATOMIC WRITE: name a 6.12 one in RXE_PEER_KERNEL_PKG");
    stage.attempt(way.network, () -> {
      try (Connection c = new Connection(way.role, Terms.of(Service.RC, way.family, 1024))) {
        long value = 0x0123_4567_89ab_cdefL;
        c.initiator.store(64, value);
        c.target.poison(0, 24);
        c.from.send(6, c.work(Operation.ATOMIC_WRITE, 64, Long.BYTES)
            .at(c.target.address() + 8, c.target.remoteKey()).values(value, 0));
        assertDone(c.from.await(TIMEOUT_MS), 6, "atomic-write");
        assertThat(c.target.load(8)).isEqualTo(value);
        assertThat(c.target.spoiled(0, 8)).isEqualTo(-1);
        assertThat(c.target.spoiled(16, 8)).isEqualTo(-1);
      }
    });
  }

  record LateReceive(Role role, Operation operation, boolean sharedReceives) {}

  static List<LateReceive> lateReceives() {
    List<LateReceive> cases = new ArrayList<>();
    for (Role role : Role.values()) {
      cases.add(new LateReceive(role, Operation.SEND, false));
      cases.add(new LateReceive(role, Operation.SEND, true));
      cases.add(new LateReceive(role, Operation.WRITE_WITH_IMMEDIATE, false));
    }
    return cases;
  }

  @ParameterizedTest
  @MethodSource("lateReceives")
  @Order(6)
  void aReceiveMayComeLate(LateReceive one) throws Exception {
    String counter = one.role == Role.BURST_STARTS ? "rcvd_rnr_err" : "out_of_buffer";
    stage.attempt(Network.GOOD, () -> {
      long before = stage.burst().counters().get(counter);
      Terms terms = Terms.of(Service.RC, Family.IPV4, 1024).withSharedReceives(one.sharedReceives);
      try (Connection c = new Connection(one.role, terms)) {
        c.initiator.fill(0, 5000, 7);
        c.target.poison(0, 5000);
        c.from.send(8, c.work(one.operation, 0, 5000));
        Deadline deadline = Deadline.in(TIMEOUT_MS);
        while (stage.burst().counters().get(counter) == before) {
          deadline.pause("an RNR NAK");
        }
        c.to.receive(9, List.of(new Piece(0, 5000)));
        assertDone(c.from.await(TIMEOUT_MS), 8, one.operation.completionName());
        assertDone(c.to.await(TIMEOUT_MS), 9, one.operation.isSend() ? "receive" : "receive-write-imm");
        assertThat(c.target.mismatch(0, 5000, 7)).isEqualTo(-1);
      }
    });
  }

  /** Nothing of the guest arrives any more, once the neighbours know each other. */
  @ParameterizedTest
  @EnumSource(value = Operation.class, names = {"SEND", "WRITE", "READ", "FETCH_ADD"})
  @Order(7)
  void retriesEndWithAStatus(Operation operation) throws Exception {
    stage.attempt(Network.GOOD, () -> {
      Terms terms = Terms.of(Service.RC, Family.IPV4, 1024).withRetries(2, 12);
      try (Connection c = new Connection(Role.BURST_STARTS, terms)) {
        stage.guest().shape("netem loss 100%");
        try {
          c.to.receive(1, List.of(new Piece(0, 64)));
          c.from.send(2, c.work(operation, 0, 8));
          c.from.send(3, c.work(Operation.SEND, 0, 8));
          assertThat(c.from.await(TIMEOUT_MS)).extracting(Outcome::work, Outcome::status)
              .containsExactly(2L, RETRY_EXCEEDED);
          assertThat(c.from.await(TIMEOUT_MS)).extracting(Outcome::work, Outcome::status).containsExactly(3L, FLUSHED);
        } finally {
          stage.guest().shape(Network.GOOD.queueing);
        }
      }
    });
  }

  /** Soft-RoCE says that a SEND longer than its receive is its own fault, and posts no misaligned atomic. */
  @ParameterizedTest
  @EnumSource(Role.class)
  @Order(8)
  void whatIsNotAllowedIsRefused(Role role) throws Exception {
    stage.attempt(Network.GOOD, () -> {
      assertThat(refusal(role, Operation.WRITE, 100, 0, 0x100)).as("a key of nothing").isEqualTo(REMOTE_ACCESS);
      assertThat(refusal(role, Operation.READ, 100, -1, 0)).as("before the region").isEqualTo(REMOTE_ACCESS);
      boolean burstStarts = role == Role.BURST_STARTS;
      assertThat(refusal(role, Operation.SEND, 101, 0, 0)).as("longer than its receive")
          .isEqualTo(burstStarts ? REMOTE_OPERATION : REMOTE_INVALID_REQUEST);
      if (burstStarts) {
        assertThat(refusal(role, Operation.FETCH_ADD, 8, 4, 0)).as("misaligned").isEqualTo(REMOTE_INVALID_REQUEST);
      }
    });
  }

  /**
   * What a request ends with that may have a receive of 100 bytes.
   *
   * @param offset what its address is off the start of the target's buffer
   * @param keyBits what its key is off
   */
  private static int refusal(Role role, Operation operation, int lengthBytes, int offset, int keyBits) {
    try (Connection c = new Connection(role, Terms.of(Service.RC, Family.IPV4, 1024))) {
      c.target.poison(0, 200);
      c.to.receive(1, List.of(new Piece(0, 100)));
      c.from.send(2, c.work(operation, 0, lengthBytes)
          .at(c.target.address() + offset, c.target.remoteKey() ^ keyBits));
      int status = c.from.await(TIMEOUT_MS).status();
      assertThat(c.target.spoiled(0, 200)).as("written all the same").isEqualTo(-1);
      return status;
    }
  }

  /** Of what arrives all is right, and something does. */
  @ParameterizedTest
  @EnumSource(Role.class)
  @Order(9)
  void anUnreliableConnectionLosesWholeMessages(Role role) throws Exception {
    stage.attempt(Network.LOSS, () -> {
      int lengthBytes = 5000;
      int messages = 60;
      try (Connection c = new Connection(role, Terms.of(Service.UC, Family.IPV4, 1024))) {
        c.target.poison(0, messages * lengthBytes);
        for (int i = 0; i < messages; i++) {
          c.initiator.fill(i * lengthBytes, lengthBytes, i);
          c.to.receive(i, List.of(new Piece(i * lengthBytes, lengthBytes)));
        }
        for (int i = 0; i < messages; i++) {
          c.from.send(i, c.work(Operation.SEND_WITH_IMMEDIATE, i * lengthBytes, lengthBytes).immediate(i));
          assertDone(c.from.await(TIMEOUT_MS), i, "send");
        }
        verifyArrived(c, lengthBytes);
      }
    });
  }

  /** A receive that a broken message has used is used again from its start. */
  private static void verifyArrived(Connection c, int lengthBytes) {
    int last = -1;
    int count = 0;
    for (Outcome next = c.to.await(TIMEOUT_MS); next != null; next = c.to.await(500)) {
      assertDone(next, count, "receive");
      assertThat(next.lengthBytes()).isEqualTo(lengthBytes);
      assertThat(next.immediate()).isGreaterThan(last);
      last = next.immediate();
      assertThat(c.target.mismatch(count * lengthBytes, lengthBytes, last)).isEqualTo(-1);
      count++;
    }
    assertThat(count).isPositive();
  }

  record Datagram(Role role, Family family, int lengthBytes, boolean immediate, boolean sharedReceives) {}

  static List<Datagram> datagrams() {
    List<Datagram> cases = new ArrayList<>();
    for (int lengthBytes : new int[] {0, 1, 3, 1023, 1024, 1025, 4095, 4096}) {
      for (Family family : Family.values()) {
        for (Role role : Role.values()) {
          cases.add(new Datagram(role, family, lengthBytes, cases.size() / 3 % 2 == 0, cases.size() / 5 % 2 == 0));
        }
      }
    }
    return cases;
  }

  @ParameterizedTest
  @MethodSource("datagrams")
  @Order(10)
  void aDatagramArrivesBehindItsHeader(Datagram one) throws Exception {
    stage.attempt(Network.GOOD, () -> {
      Terms terms = Terms.of(Service.UD, one.family, 4096).withSharedReceives(one.sharedReceives);
      Operation operation = one.immediate ? Operation.SEND_WITH_IMMEDIATE : Operation.SEND;
      try (Connection c = new Connection(one.role, terms)) {
        c.initiator.fill(0, one.lengthBytes, 3);
        c.target.poison(0, HEADER_BYTES + one.lengthBytes + 8);
        c.to.receive(1, List.of(new Piece(0, HEADER_BYTES + one.lengthBytes)));
        Work datagram = c.work(operation, 0, one.lengthBytes).to(c.to.number());
        c.from.send(2, one.lengthBytes <= 3 ? datagram.inlined() : datagram);
        assertDone(c.from.await(TIMEOUT_MS), 2, "send");
        assertThat(c.to.await(TIMEOUT_MS)).isEqualTo(new Outcome(1, 0, "receive", HEADER_BYTES + one.lengthBytes,
            one.immediate ? IMMEDIATE : null, null, true, c.from.number()));
        assertThat(c.target.mismatch(HEADER_BYTES, one.lengthBytes, 3)).isEqualTo(-1);
        assertThat(c.target.spoiled(HEADER_BYTES + one.lengthBytes, 8)).isEqualTo(-1);
        if (one.role == Role.GUEST_STARTS) {
          assertThat(stage.ours().bytes(0, HEADER_BYTES)).satisfies(header -> verifyHeader(header, one.family));
        }
      }
    });
  }

  /** Addresses are in both headers' last bytes. */
  private static void verifyHeader(byte[] header, Family family) {
    byte[] source = stage.guest().guestGid(family).address().getAddress();
    byte[] destination = stage.guest().hostGid(family).address().getAddress();
    byte[] addresses = Arrays.copyOfRange(header, HEADER_BYTES - 2 * source.length, HEADER_BYTES);
    assertThat(addresses).startsWith(source).endsWith(destination);
    assertThat(header[family == Family.IPV4 ? 20 : 0] >> 4).as("version").isEqualTo(family == Family.IPV4 ? 4 : 6);
    assertThat(header[family == Family.IPV4 ? 29 : 6]).as("next protocol, UDP").isEqualTo((byte) 17);
  }

  @ParameterizedTest
  @EnumSource(Role.class)
  @Order(11)
  void aSharedQueueTellsOfItsLimit(Role role) throws Exception {
    stage.attempt(Network.GOOD, () -> {
      try (Connection c = new Connection(role, Terms.of(Service.RC, Family.IPV6, 1024).withSharedReceives(true))) {
        for (int i = 0; i < 4; i++) {
          c.to.receive(i, List.of(new Piece(i * 8, 8)));
        }
        c.to.limit(3);
        for (int i = 0; i < 2; i++) {
          c.from.send(i, c.work(Operation.SEND, 0, 8));
          assertDone(c.from.await(TIMEOUT_MS), i, "send");
          assertDone(c.to.await(TIMEOUT_MS), i, "receive");
        }
        assertThat(c.to.awaitEvent(SHARED_QUEUE_LIMIT_REACHED, TIMEOUT_MS)).isTrue();
        if (role == Role.GUEST_STARTS) {
          c.from.send(9, c.work(Operation.WRITE, 0, 8).at(c.target.address(), c.target.remoteKey() ^ 0x100));
          assertThat(c.from.await(TIMEOUT_MS).status()).isEqualTo(REMOTE_ACCESS);
          assertThat(c.to.awaitEvent(LAST_RECEIVE_REACHED, TIMEOUT_MS)).isTrue();
        }
      }
    });
  }

  @Test
  @Order(12)
  void aBadCommandIsAnsweredByOneLine() {
    assertThat(stage.peer().exchange("nonsense")).isEqualTo("error unknown command nonsense");
    assertThat(stage.peer().exchange("load id=63 offset=0")).isEqualTo("error there is no buffer 63");
    assertThat(stage.peer().exchange("load id=0 offset=99999999")).startsWith("error offset=99999999 is over ");
    assertThat(stage.peer().exchange("load id=0 offset=-1")).isEqualTo("error offset=-1 is not a number");
    assertThat(stage.peer().exchange("receive queue=0 wr=1 pieces=0:1")).isEqualTo("error pieces=1 is not a number");
    assertThat(stage.peer().exchange("load id=0 offset=0 id=0")).isEqualTo("error id= is there twice");
    assertThat(stage.peer().exchange("load " + "x".repeat(9000))).isEqualTo("error a line of over 4094 bytes");
    assertThat(stage.peer().exchange("load id=0 offset=0")).startsWith("ok value=");
  }
}
