package io.burst.itests.peer;

import static io.burst.itests.peer.Message.assertDone;
import static org.assertj.core.api.Assertions.assertThat;

import io.burst.itests.peer.Side.Outcome;
import io.burst.itests.peer.Side.Piece;
import io.burst.itests.peer.Side.Queue;
import java.util.List;
import java.util.Random;

/**
 * Requests of many kinds under way at once on a reliable connection: each has its own place in both buffers, all
 * FETCH_ADDs one counter. For one thread.
 */
final class MixedWork {

  private static final int UNDER_WAY = 16;
  private static final int PLACE_BYTES = 1 << 15;
  private static final int LONGEST_BYTES = 20_000;
  private static final int COUNTER = UNDER_WAY * PLACE_BYTES;
  private static final long COUNTER_START = 0x0102_0304_0506_0708L;

  private final List<Operation> kinds;
  private final Side initiator;
  private final Side target;
  private final Queue from;
  private final Queue to;
  private final Random random;
  private final Operation[] operations = new Operation[UNDER_WAY];
  private final int[] lengths = new int[UNDER_WAY];
  private long added;

  /** @param kinds of operations, each as likely as the others */
  MixedWork(List<Operation> kinds, Side initiator, Side target, Queue from, Queue to, long seed) {
    this.kinds = kinds;
    this.initiator = initiator;
    this.target = target;
    this.from = from;
    this.to = to;
    random = new Random(seed);
  }

  void run(int requests) {
    target.store(COUNTER, COUNTER_START);
    for (int i = 0; i < requests + UNDER_WAY; i++) {
      if (i >= UNDER_WAY) {
        finish(i - UNDER_WAY);
      }
      if (i < requests) {
        start(i);
      }
    }
    assertThat(target.load(COUNTER)).as("the counter").isEqualTo(COUNTER_START + added);
  }

  private static int place(int request) {
    return request % UNDER_WAY * PLACE_BYTES;
  }

  private void start(int request) {
    Operation operation = kinds.get(random.nextInt(kinds.size()));
    int lengthBytes = operation == Operation.FETCH_ADD ? Long.BYTES : random.nextInt(LONGEST_BYTES);
    operations[request % UNDER_WAY] = operation;
    lengths[request % UNDER_WAY] = lengthBytes;
    int place = place(request);
    List<Piece> pieces = List.of(new Piece(place, lengthBytes));
    if (operation != Operation.FETCH_ADD) {
      (operation == Operation.READ ? target : initiator).fill(place, lengthBytes, request);
    }
    if (operation.takesReceive()) {
      to.receive(request, operation.isSend() ? pieces : List.of());
    }
    from.send(request, Work.of(operation, pieces)
        .immediate(request)
        .values(request + 1, 0)
        .at(target.address() + (operation == Operation.FETCH_ADD ? COUNTER : place), target.remoteKey()));
  }

  private void finish(int request) {
    Operation operation = operations[request % UNDER_WAY];
    int lengthBytes = lengths[request % UNDER_WAY];
    assertDone(from.await(BurstSide.TIMEOUT_MS), request, operation.completionName());
    if (operation.takesReceive()) {
      Outcome received = to.await(BurstSide.TIMEOUT_MS);
      assertDone(received, request, operation.isSend() ? "receive" : "receive-write-imm");
      assertThat(received.lengthBytes()).isEqualTo(lengthBytes);
      assertThat(received.immediate()).isEqualTo(operation.opcode.hasImmediate() ? request : null);
    }
    if (operation == Operation.FETCH_ADD) {
      assertThat(initiator.load(place(request))).as("what FETCH_ADD " + request + " found")
          .isEqualTo(COUNTER_START + added);
      added += request + 1;
    } else {
      Side sink = operation == Operation.READ ? initiator : target;
      assertThat(sink.mismatch(place(request), lengthBytes, request)).as(operation + " " + request).isEqualTo(-1);
    }
  }
}
