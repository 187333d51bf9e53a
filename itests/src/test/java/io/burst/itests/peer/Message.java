package io.burst.itests.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.burst.itests.peer.Side.Family;
import io.burst.itests.peer.Side.Outcome;
import io.burst.itests.peer.Side.Piece;
import io.burst.itests.peer.Side.Queue;
import io.burst.itests.peer.Side.Service;
import io.burst.itests.peer.Side.Terms;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A message on a new connection: one case of the matrix.
 *
 * @param pieces how many its memory has at the initiator; a receive has another number
 * @param psn the first PSN of both ends
 */
record Message(Network network, Service service, Role role, Family family, int pathMtu, Operation operation,
    int lengthBytes, int pieces, int psn, boolean sharedReceives) {

  private static final Network[] NETWORKS = Network.values();
  private static final Role[] ROLES = Role.values();
  private static final Family[] FAMILIES = Family.values();
  private static final int[] PATH_MTUS = {1024, 4096};
  private static final Operation[] OPERATIONS = {Operation.SEND, Operation.SEND_WITH_IMMEDIATE, Operation.WRITE,
      Operation.WRITE_WITH_IMMEDIATE, Operation.READ, Operation.SEND_WITH_INVALIDATE};
  /** How many of the first operations an unreliable connection has. */
  private static final int UNRELIABLE_OPERATIONS = 4;
  private static final int[] LENGTHS =
      {0, 1, 3, 1023, 1024, 1025, 4095, 4096, 4097, 65536, (1 << 20) + 1, 8 << 20};
  private static final int[] PIECES = {1, 3, 16};
  private static final int[] PSNS = {0xfffff0, 0};

  /** Where messages start in the buffers, and how much before and behind them is looked at. */
  private static final int OFFSET = 4093;
  private static final int GUARD_BYTES = 64;

  /** Several times what 8 MiB in packets of 1024 bytes take. */
  private static final long SLOW_MS = 300_000;

  private static final int IMMEDIATE = 0x89abcdef;
  private static final int REMOTE_ACCESS_ERROR = 10;

  /** @param all else rows that have every pair of values */
  static List<Message> cases(boolean all) {
    List<Message> cases = new ArrayList<>(matrix(Service.RC, NETWORKS.length, OPERATIONS.length, all));
    cases.addAll(matrix(Service.UC, 1, UNRELIABLE_OPERATIONS, all));
    cases.sort(Comparator.comparing(Message::network));
    return cases;
  }

  private static List<Message> matrix(Service service, int networks, int operations, boolean all) {
    int[] leading = {networks, ROLES.length, FAMILIES.length, PATH_MTUS.length, operations, LENGTHS.length};
    List<int[]> rows = all
        ? product(leading)
        : Pairwise.rows(networks, ROLES.length, FAMILIES.length, PATH_MTUS.length, operations, LENGTHS.length,
            PIECES.length, PSNS.length, 2);
    return rows.stream().map(row -> of(service, row)).toList();
  }

  /** All rows of the leading factors; the choices of the others take turns in them. */
  private static List<int[]> product(int[] leading) {
    int count = 1;
    for (int choices : leading) {
      count *= choices;
    }
    List<int[]> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int[] row = new int[leading.length + 3];
      int rest = i;
      for (int factor = 0; factor < leading.length; factor++) {
        row[factor] = rest % leading[factor];
        rest /= leading[factor];
      }
      row[leading.length] = i / 7 % PIECES.length;
      row[leading.length + 1] = i / 5 % PSNS.length;
      row[leading.length + 2] = i / 11 % 2;
      rows.add(row);
    }
    return rows;
  }

  private static Message of(Service service, int[] row) {
    return new Message(NETWORKS[row[0]], service, ROLES[row[1]], FAMILIES[row[2]], PATH_MTUS[row[3]],
        OPERATIONS[row[4]], LENGTHS[row[5]], PIECES[row[6]], PSNS[row[7]], row[8] == 1);
  }

  private Terms terms() {
    return Terms.of(service, family, pathMtu).withPsn(psn).withSharedReceives(sharedReceives);
  }

  /** Sends it, and looks at all that both ends can see of it. */
  void play(Stage stage) {
    Side initiator = stage.initiator(role);
    Side target = stage.target(role);
    Side source = operation == Operation.READ ? target : initiator;
    Side sink = operation == Operation.READ ? initiator : target;
    long seed = hashCode();
    try (Queue from = initiator.create(terms()); Queue to = target.create(terms())) {
      from.connect(to.number());
      to.connect(from.number());
      source.fill(OFFSET, lengthBytes, seed);
      sink.poison(OFFSET - GUARD_BYTES, lengthBytes + 2 * GUARD_BYTES);

      int window = operation == Operation.SEND_WITH_INVALIDATE ? to.bindWindow(OFFSET, GUARD_BYTES) : 0;
      exchange(from, to, target, window);

      assertThat(sink.mismatch(OFFSET, lengthBytes, seed)).as("first wrong byte").isEqualTo(-1);
      assertThat(sink.spoiled(OFFSET - GUARD_BYTES, GUARD_BYTES)).as("written before the message").isEqualTo(-1);
      assertThat(sink.spoiled(OFFSET + lengthBytes, GUARD_BYTES)).as("written behind the message").isEqualTo(-1);
      assertThat(source.mismatch(OFFSET, lengthBytes, seed)).as("changed at the source").isEqualTo(-1);
      // A NAK that is lost is never repeated: its queue pair is in ERR.
      if (window != 0 && network != Network.LOSS) {
        Work write = Work.of(Operation.WRITE, pieces(1, 1)).at(target.address() + OFFSET, window);
        from.send(13, write);
        assertThat(from.await(BurstSide.TIMEOUT_MS).status()).as("a WRITE to the window afterwards")
            .isEqualTo(REMOTE_ACCESS_ERROR);
      }
    }
  }

  private void exchange(Queue from, Queue to, Side target, int window) {
    if (operation.takesReceive()) {
      to.receive(11, operation.isSend() ? pieces(lengthBytes, pieces == 1 ? 16 : pieces - 2) : List.of());
    }
    from.send(12, Work.of(operation, pieces(lengthBytes, pieces))
        .immediate(IMMEDIATE)
        .at(target.address() + OFFSET, target.remoteKey())
        .invalidating(window));
    assertDone(from.await(timeoutMs()), 12, operation.completionName());
    if (operation.takesReceive()) {
      assertReceived(to.await(BurstSide.TIMEOUT_MS), window);
    } else if (service == Service.UC) {
      awaitArrival(from, to);
    }
  }

  /** Soft-RoCE asks for the rest of a READ after a time-out each time that a response was overtaken. */
  private long timeoutMs() {
    return operation == Operation.READ && network == Network.REORDERING ? SLOW_MS : BurstSide.TIMEOUT_MS;
  }

  /** Nothing tells of a WRITE's arrival without acknowledgements but the message behind it. */
  private static void awaitArrival(Queue from, Queue to) {
    to.receive(14, List.of());
    from.send(15, Work.of(Operation.SEND, List.of()));
    assertDone(from.await(BurstSide.TIMEOUT_MS), 15, "send");
    assertDone(to.await(BurstSide.TIMEOUT_MS), 14, "receive");
  }

  /** Uneven parts of the message, in order. */
  private static List<Piece> pieces(int lengthBytes, int count) {
    List<Piece> pieces = new ArrayList<>();
    int start = 0;
    for (int i = 1; i <= count; i++) {
      int end = (int) ((long) lengthBytes * i * i / ((long) count * count));
      pieces.add(new Piece(OFFSET + start, end - start));
      start = end;
    }
    return pieces;
  }

  static void assertDone(Outcome outcome, long work, String opcode) {
    assertThat(outcome).as("completion of " + opcode).isNotNull();
    assertThat(outcome.status()).as("status of " + opcode).isZero();
    assertThat(outcome.work()).isEqualTo(work);
    assertThat(outcome.opcode()).isEqualTo(opcode);
  }

  private void assertReceived(Outcome outcome, int window) {
    assertDone(outcome, 11, operation == Operation.WRITE_WITH_IMMEDIATE ? "receive-write-imm" : "receive");
    assertThat(outcome.lengthBytes()).isEqualTo(lengthBytes);
    assertThat(outcome.immediate()).isEqualTo(operation.opcode.hasImmediate() ? IMMEDIATE : null);
    assertThat(outcome.invalidated()).isEqualTo(window == 0 ? null : window);
  }
}
