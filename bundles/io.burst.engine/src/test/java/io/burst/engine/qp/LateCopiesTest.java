package io.burst.engine.qp;

import static io.burst.engine.qp.Packets.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.PacketWriter;
import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.Transport;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.PathMtu;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.SendOpcode;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Bytes that come to their place late: what tells of them waits, and nothing else does. */
class LateCopiesTest {
  private static final String LOCAL = "192.0.2.1";
  private static final String REMOTE = "192.0.2.2";
  private static final int NUMBER = 0xA1;
  private static final int PSN = 3000;
  private static final int MTU = 1024;
  /** Behind every time-out. */
  private static final long LATE_NS = 1L << 40;

  private final HeldCopies copies = new HeldCopies();
  private final OneQueuePair queuePair = made(Transport.RC);

  private OneQueuePair made(Transport transport) {
    return made(transport, 64);
  }

  private OneQueuePair made(Transport transport, int completions) {
    OneQueuePair made =
        new OneQueuePair(
            transport,
            NUMBER,
            LOCAL,
            REMOTE,
            EnumSet.allOf(AccessFlag.class),
            new CompletionRing(completions),
            copies);
    made.connect(0xA2, PSN, 0, PathMtu.MTU_1024, 14, 7, 7);
    return made;
  }

  @Test
  void aReceiveAndItsAckWaitForTheBytes() {
    queuePair.postReceive(1, 0, 100);
    send(PSN, 7, 10);
    assertNothingIsTold();
    assertThat(queuePair.memory.get(0)).isEqualTo(OneQueuePair.POISON);
    endAll();
    assertThat(queuePair.transmit(0).psn()).isEqualTo(PSN);
    assertThat(queuePair.poll().workRequestId).isEqualTo(1);
    assertThat(queuePair.memory.get(9)).isEqualTo((byte) 7);
  }

  /** A continuous stream must not keep the peer waiting for an ACK of what came first. */
  @Test
  void whatIsInPlaceIsAcknowledgedWhileTheRestWaits() {
    for (int i = 0; i < 3; i++) {
      queuePair.postReceive(i, 100L * i, 100);
      send(PSN + i, i, 10);
    }
    copies.end(1);
    settle();
    assertNothingIsTold();
    copies.end(0);
    settle();
    RocePacket ack = queuePair.transmit(0);
    assertThat(ack.psn()).isEqualTo(PSN + 1);
    assertThat(ack.aethMsn()).isEqualTo(2);
    assertThat(queuePair.poll().workRequestId).isZero();
    assertThat(queuePair.poll().workRequestId).isEqualTo(1);
    assertNothingIsTold();
    endAll();
    assertThat(queuePair.transmit(0).psn()).isEqualTo(PSN + 2);
    assertThat(queuePair.poll().workRequestId).isEqualTo(2);
  }

  @Test
  void aReadAnswersWithTheBytesOfTheWriteBeforeIt() {
    write(PSN, 500, 9, 100);
    read(PSN + 1, 500, 100);
    assertNothingIsTold();
    endAll();
    RocePacket response = queuePair.transmit(0);
    assertThat(response.opcode()).isEqualTo(Opcode.RC_READ_RESPONSE_ONLY);
    assertThat(response.buffer().get(response.payloadOffset() + 99)).isEqualTo((byte) 9);
    assertThat(response.aethMsn()).isEqualTo(2);
  }

  @Test
  void aReadBeforeTheWriteDoesNotWait() {
    read(PSN, 500, 100);
    write(PSN + 1, 500, 9, 100);
    RocePacket response = queuePair.transmit(0);
    assertThat(response.opcode()).isEqualTo(Opcode.RC_READ_RESPONSE_ONLY);
    assertThat(response.buffer().get(response.payloadOffset())).isEqualTo(OneQueuePair.POISON);
    assertThat(response.aethMsn()).isEqualTo(1);
    assertNothingIsTold();
  }

  /** It works on what the WRITE before it brings, and what comes behind it waits with it. */
  @Test
  void anAtomicOnWhatIsStillToComeIsExecutedAfterwards() {
    write(PSN, 512, 1, 8);
    fetchAdd(PSN + 1, 512, 5);
    write(PSN + 2, 512, 2, 8);
    assertNothingIsTold();
    assertThat(copies.underWay).hasSize(1);
    endAll();
    RocePacket answer = queuePair.transmit(0);
    assertThat(answer.opcode()).isEqualTo(Opcode.RC_ATOMIC_ACKNOWLEDGE);
    assertThat(answer.atomicAckOriginal()).isEqualTo(0x0101010101010101L);
    assertThat(copies.underWay).hasSize(1);
    assertThat(word(512)).isEqualTo(0x0101010101010106L);
    endAll();
    assertThat(queuePair.transmit(0).psn()).isEqualTo(PSN + 2);
    assertThat(word(512)).isEqualTo(0x0202020202020202L);
  }

  @Test
  void anAtomicElsewhereIsExecutedAtOnceAndAnsweredInTurn() {
    queuePair.memory.order(ByteOrder.nativeOrder()).putLong(1024, 40);
    write(PSN, 512, 1, 8);
    fetchAdd(PSN + 1, 1024, 2);
    assertThat(word(1024)).isEqualTo(42);
    assertNothingIsTold();
    endAll();
    assertThat(queuePair.transmit(0).atomicAckOriginal()).isEqualTo(40);
  }

  /** Of two WRITEs to one place the later one's bytes stay. */
  @Test
  void anOverlapIsFenced() {
    write(PSN, 0, 1, 100);
    write(PSN + 1, 100, 2, 100);
    write(PSN + 2, 199, 3, 100);
    assertThat(copies.underWay.stream().map(HeldCopies.Copy::fenced)).containsExactly(false, false, true);
  }

  @Test
  void anotherQueuePairDoesNotWait() {
    OneQueuePair other = new OneQueuePair(queuePair, new ReceiveQueue(1));
    other.connect(0xA3, PSN, 0, PathMtu.MTU_1024, 14, 7, 7);
    write(PSN, 0, 1, 100);
    receive(
        other.connection.number(), Opcode.RC_READ_REQUEST, PSN, w -> w.reth(base(), key(), 8), new byte[0]);
    assertThat(queuePair.transmit(0).opcode()).isEqualTo(Opcode.RC_READ_RESPONSE_ONLY);
  }

  @Test
  void aFailedCopyIsRefused() {
    queuePair.postReceive(1, 0, 100);
    queuePair.postReceive(2, 100, 100);
    queuePair.postReceive(3, 200, 100);
    queuePair.postReceive(4, 300, 100);
    send(PSN, 1, 10);
    send(PSN + 1, 2, 10);
    read(PSN + 2, 0, 10);
    send(PSN + 3, 3, 10);
    copies.fail(1);
    settle();
    assertNothingIsTold();
    endAll();
    RocePacket nak = queuePair.transmit(0);
    assertThat(nak.aethSyndrome()).isEqualTo(Aeth.NAK_REMOTE_OPERATIONAL_ERROR);
    assertThat(nak.psn()).isEqualTo(PSN + 1);
    assertThat(queuePair.transmit(0)).isNull();
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.ERROR);
    assertThat(queuePair.events).containsExactly(AsyncEventType.QUEUE_PAIR_FATAL);
    assertCompletion(1, CompletionStatus.SUCCESS);
    assertCompletion(2, CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
    assertCompletion(3, CompletionStatus.WORK_REQUEST_FLUSHED);
    assertCompletion(4, CompletionStatus.WORK_REQUEST_FLUSHED);
    assertThat(queuePair.poll()).isNull();
  }

  /** Its buffer is the application's again when it is flushed, so nothing may be on its way there any more. */
  @Test
  void aFlushWaitsForTheCopiesIntoItsBuffer() {
    queuePair.postReceive(1, 0, 2000);
    receive(NUMBER, Opcode.RC_SEND_FIRST, PSN, w -> {}, new byte[MTU]);
    queuePair.connection.enterError();
    assertThat(queuePair.poll()).isNull();
    endAll();
    queuePair.transmit(0);
    assertCompletion(1, CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  @Test
  void aReadCompletesWhenItsBytesAreThere() {
    queuePair.post(
        request -> {
          request.workRequestId = 1;
          request.opcode = SendOpcode.READ;
          request.buffers.add(base(), MTU + 10, key());
        });
    queuePair.postSend(2, 0, 10);
    queuePair.transmit(0);
    queuePair.transmit(0);
    receive(NUMBER, Opcode.RC_READ_RESPONSE_FIRST, 0, w -> w.aeth(Aeth.ACK, 1), filled(4, MTU));
    receive(NUMBER, Opcode.RC_READ_RESPONSE_LAST, 1, w -> w.aeth(Aeth.ACK, 1), filled(5, 10));
    receive(NUMBER, Opcode.RC_ACKNOWLEDGE, 2, w -> w.aeth(Aeth.ACK, 2), new byte[0]);
    copies.end(1);
    settle();
    assertNothingIsTold();
    assertThat(queuePair.endpoint.nextDeadlineNs()).as("nothing is asked for again").isEqualTo(Long.MAX_VALUE);
    endAll();
    queuePair.transmit(0);
    assertCompletion(1, CompletionStatus.SUCCESS);
    assertCompletion(2, CompletionStatus.SUCCESS);
    assertThat(queuePair.memory.get(MTU - 1)).isEqualTo((byte) 4);
    assertThat(queuePair.memory.get(MTU + 9)).isEqualTo((byte) 5);
  }

  @Test
  void aReadWhoseCopyFailsFails() {
    queuePair.post(
        request -> {
          request.workRequestId = 1;
          request.opcode = SendOpcode.READ;
          request.buffers.add(base(), 10, key());
        });
    queuePair.transmit(0);
    receive(NUMBER, Opcode.RC_READ_RESPONSE_ONLY, 0, w -> w.aeth(Aeth.ACK, 1), filled(4, 10));
    copies.fail(0);
    settle();
    queuePair.transmit(0);
    assertCompletion(1, CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.ERROR);
  }

  /** What was done before a request that is refused has only waited for its bytes. */
  @Test
  void aNakFailsItsRequestAndNotAnAnsweredReadBeforeIt() {
    postTwoReads(queuePair);
    receive(NUMBER, Opcode.RC_READ_RESPONSE_ONLY, 0, w -> w.aeth(Aeth.ACK, 1), filled(4, 10));
    receive(NUMBER, Opcode.RC_ACKNOWLEDGE, 1, w -> w.aeth(Aeth.NAK_REMOTE_ACCESS_ERROR, 1), new byte[0]);
    assertThat(queuePair.poll()).isNull();
    endAll();
    queuePair.transmit(0);
    assertCompletion(1, CompletionStatus.SUCCESS);
    assertCompletion(2, CompletionStatus.REMOTE_ACCESS_ERROR);
  }

  @Test
  void aFailedCopyFailsItsOwnReadAndNotTheOneBefore() {
    postTwoReads(queuePair);
    receive(NUMBER, Opcode.RC_READ_RESPONSE_ONLY, 0, w -> w.aeth(Aeth.ACK, 1), filled(4, 10));
    receive(NUMBER, Opcode.RC_READ_RESPONSE_ONLY, 1, w -> w.aeth(Aeth.ACK, 2), filled(5, 10));
    copies.end(0);
    copies.fail(0);
    settle();
    queuePair.transmit(0);
    assertCompletion(1, CompletionStatus.SUCCESS);
    assertCompletion(2, CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
  }

  /** A READ whose bytes never came is no success, even if a later one was refused before that was known. */
  @Test
  void aFailedCopyBeforeARefusedRequestIsTheFailure() {
    postTwoReads(queuePair);
    receive(NUMBER, Opcode.RC_READ_RESPONSE_ONLY, 0, w -> w.aeth(Aeth.ACK, 1), filled(4, 10));
    receive(NUMBER, Opcode.RC_ACKNOWLEDGE, 1, w -> w.aeth(Aeth.NAK_REMOTE_ACCESS_ERROR, 1), new byte[0]);
    copies.fail(0);
    settle();
    queuePair.transmit(0);
    assertCompletion(1, CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
    assertCompletion(2, CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  /** A completion that finds no room ends everything, also when it comes with a late copy. */
  @Test
  void nothingIsSentOnceALateCompletionHasOverrunItsQueue() {
    OneQueuePair small = made(Transport.RC, 1);
    postTwoReads(small);
    postTwoReads(small);
    for (int psn = 0; psn < 3; psn++) {
      small.receive(
          packet(REMOTE, LOCAL, Opcode.RC_READ_RESPONSE_ONLY, NUMBER, psn, w -> w.aeth(Aeth.ACK, 1), new byte[10]), 0);
    }
    small.endpoint.onTimeout(LATE_NS);
    copies.endAll();
    small.endpoint.onTimeout(LATE_NS);
    assertThat(small.transmit(LATE_NS)).isNull();
    assertThat(small.connection.state()).isEqualTo(QueuePairState.ERROR);
    assertThat(small.endpoint.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aQueuePairThatGoesGivesItsParkedFramesBack() {
    write(PSN, 512, 1, 8);
    for (int i = 1; i < OneQueuePair.SPARE_FRAMES; i++) {
      fetchAdd(PSN + i, 512, 1);
    }
    queuePair.endpoint.remove(queuePair.connection);
    endAll();
    OneQueuePair other = new OneQueuePair(queuePair, new ReceiveQueue(1));
    other.connect(0xA3, PSN, 0, PathMtu.MTU_1024, 14, 7, 7);
    for (int i = 0; i < OneQueuePair.SPARE_FRAMES; i++) {
      long address = base() + 100 * i;
      receive(
          other.connection.number(), Opcode.RC_WRITE_ONLY, PSN + i, w -> w.reth(address, key(), 10), new byte[10]);
    }
    assertThat(copies.underWay).hasSize(OneQueuePair.SPARE_FRAMES);
  }

  /** When no frame is left to receive into, packets wait, and then are taken in their order. */
  @Test
  void withoutRoomPacketsWait() {
    int most = OneQueuePair.SPARE_FRAMES;
    for (int i = 0; i < most; i++) {
      write(PSN + i, 100 * i, i, 100);
    }
    write(PSN + most, 5000, 99, 100);
    assertThat(copies.underWay).hasSize(most);
    assertThat(queuePair.counters.get(Counter.RX_COPIES_BUSY)).isEqualTo(1);
    endAll();
    assertThat(queuePair.transmit(0).psn()).isEqualTo(PSN + most - 1);
    write(PSN + most, 5000, 99, 100);
    endAll();
    assertThat(queuePair.transmit(0).psn()).isEqualTo(PSN + most);
    assertThat(queuePair.memory.get(5099)).isEqualTo((byte) 99);
  }

  @Test
  void anUnreliableMessageWaitsToo() {
    OneQueuePair unreliable = made(Transport.UC);
    unreliable.postReceive(1, 0, 100);
    unreliable.receive(
        packet(REMOTE, LOCAL, Opcode.UC_SEND_ONLY, NUMBER, PSN, w -> {}, filled(6, 10)), 0);
    assertThat(unreliable.poll()).isNull();
    copies.endAll();
    unreliable.endpoint.onTimeout(0);
    assertThat(unreliable.poll().status).isEqualTo(CompletionStatus.SUCCESS);
    assertThat(unreliable.memory.get(9)).isEqualTo((byte) 6);
  }

  private static void postTwoReads(OneQueuePair at) {
    for (int id = 1; id <= 2; id++) {
      long place = at.region.address() + 100 * id;
      long number = id;
      at.post(
          request -> {
            request.workRequestId = number;
            request.opcode = SendOpcode.READ;
            request.buffers.add(place, 10, at.region.key());
          });
      assertThat(at.transmit(0).opcode()).isEqualTo(Opcode.RC_READ_REQUEST);
    }
  }

  private void endAll() {
    copies.endAll();
    settle();
  }

  private void settle() {
    queuePair.endpoint.onTimeout(0);
  }

  private void assertNothingIsTold() {
    assertThat(queuePair.transmit(0)).isNull();
    assertThat(queuePair.poll()).isNull();
  }

  private void assertCompletion(long id, CompletionStatus status) {
    Completion completion = queuePair.poll();
    assertThat(completion.workRequestId).isEqualTo(id);
    assertThat(completion.status).isEqualTo(status);
  }

  private void send(int psn, int fill, int bytes) {
    receive(NUMBER, Opcode.RC_SEND_ONLY, psn, w -> w.ackRequested(true), filled(fill, bytes));
  }

  private void write(int psn, long offset, int fill, int bytes) {
    receive(
        NUMBER,
        Opcode.RC_WRITE_ONLY,
        psn,
        w -> w.ackRequested(true).reth(base() + offset, key(), bytes),
        filled(fill, bytes));
  }

  private void read(int psn, long offset, int bytes) {
    receive(NUMBER, Opcode.RC_READ_REQUEST, psn, w -> w.reth(base() + offset, key(), bytes), new byte[0]);
  }

  private void fetchAdd(int psn, long offset, long add) {
    receive(NUMBER, Opcode.RC_FETCH_ADD, psn, w -> w.atomic(base() + offset, key(), add, 0), new byte[0]);
  }

  private void receive(int number, Opcode opcode, int psn, Consumer<PacketWriter> headers, byte[] payload) {
    queuePair.receive(packet(REMOTE, LOCAL, opcode, number, psn, headers, payload), 0);
  }

  private long base() {
    return queuePair.region.address();
  }

  private int key() {
    return queuePair.region.key();
  }

  private long word(int offset) {
    return queuePair.memory.order(ByteOrder.nativeOrder()).getLong(offset);
  }

  private static byte[] filled(int fill, int bytes) {
    byte[] payload = new byte[bytes];
    Arrays.fill(payload, (byte) fill);
    return payload;
  }
}
