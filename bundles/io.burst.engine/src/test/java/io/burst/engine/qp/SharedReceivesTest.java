package io.burst.engine.qp;

import static io.burst.engine.qp.Packets.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.RocePacket;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.PathMtu;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.ScatterGatherList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two queue pairs that take from the same receives (IBTA volume 1, 10.2.9). */
class SharedReceivesTest {
  private static final String LOCAL = "192.0.2.1";
  private static final String REMOTE = "192.0.2.2";
  private static final int PSN = 900;
  private static final int MTU = 1024;

  private final List<AsyncEventType> events = new ArrayList<>();
  private final SharedReceives receives = new SharedReceives(8, events::add);
  private final OneQueuePair endpoint = new OneQueuePair(0x71, LOCAL, REMOTE, EnumSet.allOf(AccessFlag.class));
  private final OneQueuePair first = new OneQueuePair(endpoint, receives);
  private final OneQueuePair second = new OneQueuePair(endpoint, receives);

  SharedReceivesTest() {
    first.connect(0x81, PSN, 0, PathMtu.MTU_1024, 14, 7, 7);
    second.connect(0x82, PSN, 0, PathMtu.MTU_1024, 14, 7, 7);
  }

  /** Each message has a receive from its first packet on; who is done first completes first. */
  @Test
  void messagesThatComeAtTheSameTimeHaveOneEach() {
    post(1, 0);
    post(2, 4000);
    receive(first, Opcode.RC_SEND_FIRST, PSN, 1, MTU);
    receive(second, Opcode.RC_SEND_FIRST, PSN, 2, MTU);
    receive(second, Opcode.RC_SEND_LAST, PSN + 1, 2, 10);
    receive(first, Opcode.RC_SEND_LAST, PSN + 1, 1, 20);
    assertDone(second.poll(), 2, MTU + 10);
    assertDone(first.poll(), 1, MTU + 20);
    assertThat(endpoint.memory.get(0)).isEqualTo((byte) 1);
    assertThat(endpoint.memory.get(MTU + 19)).isEqualTo((byte) 1);
    assertThat(endpoint.memory.get(MTU + 20)).isEqualTo(OneQueuePair.POISON);
    assertThat(endpoint.memory.get(4000)).isEqualTo((byte) 2);
    assertThat(endpoint.memory.get(4000 + MTU + 9)).isEqualTo((byte) 2);
  }

  @Test
  void whenTheyAreUsedUpThePeerHasToWait() {
    post(1, 0);
    receive(first, Opcode.RC_SEND_ONLY, PSN, 1, 5);
    receive(second, Opcode.RC_SEND_ONLY, PSN, 2, 5);
    assertThat(endpoint.transmit(0).aethSyndrome()).isEqualTo(Aeth.ACK);
    assertThat(Aeth.isRnrNak(endpoint.transmit(0).aethSyndrome())).isTrue();
    post(2, 100);
    receive(second, Opcode.RC_SEND_ONLY, PSN, 2, 5);
    assertDone(second.poll(), 2, 5);
  }

  @Test
  void theLimitIsToldOnceWhenTheCountDropsBelowIt() {
    for (int id = 0; id < 4; id++) {
      post(id, 0);
    }
    receives.setLimit(3);
    receive(first, Opcode.RC_SEND_ONLY, PSN, 1, 5);
    assertThat(events).isEmpty();
    receive(second, Opcode.RC_SEND_ONLY, PSN, 1, 5);
    assertThat(events).containsExactly(AsyncEventType.SHARED_RECEIVE_QUEUE_LIMIT);
    receive(second, Opcode.RC_SEND_ONLY, PSN + 1, 1, 5);
    assertThat(events).hasSize(1);
    receives.setLimit(1);
    receive(second, Opcode.RC_SEND_ONLY, PSN + 2, 1, 5);
    assertThat(events).hasSize(2);
  }

  /** The one that a broken-off message holds comes back; those that nobody took stay for the others. */
  @Test
  void theErrorStateFlushesWhatItHoldsAndSaysThatItTakesNoMore() {
    post(1, 0);
    post(2, 4000);
    receive(first, Opcode.RC_SEND_FIRST, PSN, 1, MTU);
    first.connection.enterError();
    Completion flushed = first.poll();
    assertThat(flushed.workRequestId).isEqualTo(1);
    assertThat(flushed.status).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
    assertThat(first.poll()).isNull();
    assertThat(first.events).containsExactly(AsyncEventType.LAST_RECEIVE_REACHED);
    first.connection.enterError();
    assertThat(first.events).hasSize(1);
    receive(second, Opcode.RC_SEND_ONLY, PSN, 2, 5);
    assertDone(second.poll(), 2, 5);
    assertThat(second.events).isEmpty();
  }

  @Test
  void eachLifeOfAQueuePairEndsWithItsOwnEvent() {
    first.connection.enterError();
    first.connection.reset();
    first.connection.initialize(EnumSet.allOf(AccessFlag.class));
    first.connection.enterError();
    assertThat(first.events)
        .containsExactly(AsyncEventType.LAST_RECEIVE_REACHED, AsyncEventType.LAST_RECEIVE_REACHED);
  }

  @Test
  void aRefusedRequestOfOneLeavesTheOthersReceivesAlone() {
    post(1, 0);
    receive(first, Opcode.RC_SEND_MIDDLE, PSN, 1, MTU);
    assertThat(first.connection.state()).isEqualTo(QueuePairState.ERROR);
    assertThat(first.events)
        .containsExactly(AsyncEventType.QUEUE_PAIR_REQUEST_ERROR, AsyncEventType.LAST_RECEIVE_REACHED);
    assertThat(first.poll()).isNull();
    receive(second, Opcode.RC_SEND_ONLY, PSN, 2, 5);
    assertDone(second.poll(), 1, 5);
  }

  @Test
  void aWriteWithImmediateTakesOneAtItsEnd() {
    post(1, 0);
    receive(first, Opcode.RC_SEND_ONLY, PSN, 1, 5);
    assertDone(first.poll(), 1, 5);
    byte[] write =
        packet(
            REMOTE,
            LOCAL,
            Opcode.RC_WRITE_ONLY_IMMEDIATE,
            second.connection.number(),
            PSN,
            w -> w.reth(second.region.address(), second.region.key(), 8).immediate(3),
            new byte[8]);
    endpoint.receive(write, 0);
    RocePacket ack = endpoint.transmit(0);
    assertThat(ack.aethSyndrome()).isEqualTo(Aeth.ACK);
    assertThat(Aeth.isRnrNak(endpoint.transmit(0).aethSyndrome())).isTrue();
    post(2, 0);
    endpoint.receive(write, 0);
    assertDone(second.poll(), 2, 8);
  }

  private void post(long id, long offset) {
    receives.post(
        id, new ScatterGatherList().add(endpoint.region.address() + offset, 3000, endpoint.region.key()));
  }

  private void receive(OneQueuePair at, Opcode opcode, int psn, int fill, int bytes) {
    byte[] payload = new byte[bytes];
    Arrays.fill(payload, (byte) fill);
    int number = at.connection.number();
    endpoint.receive(packet(REMOTE, LOCAL, opcode, number, psn, w -> w.ackRequested(opcode.isLast()), payload), 0);
  }

  private static void assertDone(Completion done, long id, int bytes) {
    assertThat(done.status).isEqualTo(CompletionStatus.SUCCESS);
    assertThat(done.workRequestId).isEqualTo(id);
    assertThat(done.lengthBytes).isEqualTo(bytes);
  }
}
