package io.burst.engine.qp;

import static io.burst.engine.qp.Packets.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.PacketWriter;
import io.burst.engine.wire.RocePacket;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.PathMtu;
import io.burst.verbs.QueuePairState;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Requests that come in sequence and may not be executed: the NAK, the status and the state that IBTA volume 1, 9.7.4
 * asks for.
 */
class RefusedRequestsTest {
  private static final String LOCAL = "192.0.2.1";
  private static final String REMOTE = "192.0.2.2";
  private static final int NUMBER = 0x21;
  private static final int PSN = 1000;
  private static final int ROOM_BYTES = 3000;

  private final OneQueuePair queuePair = new OneQueuePair(NUMBER, LOCAL, REMOTE);

  RefusedRequestsTest() {
    queuePair.connect(0x22, PSN, 0, PathMtu.MTU_1024, 14, 7, 7);
    queuePair.postReceive(1, 0, ROOM_BYTES);
    queuePair.postReceive(2, 5000, ROOM_BYTES);
  }

  @Test
  void longerThanTheReceive() {
    receive(Opcode.RC_SEND_FIRST, PSN, 1024);
    receive(Opcode.RC_SEND_MIDDLE, PSN + 1, 1024);
    receive(Opcode.RC_SEND_LAST, PSN + 2, 953);
    assertRefused(PSN + 2, Aeth.NAK_INVALID_REQUEST, CompletionStatus.LOCAL_LENGTH_ERROR);
    assertThat(queuePair.memory.get(ROOM_BYTES)).isEqualTo(OneQueuePair.POISON);
  }

  @Test
  void middleWithoutFirst() {
    receive(Opcode.RC_SEND_MIDDLE, PSN, 1024);
    assertRefused(PSN, Aeth.NAK_INVALID_REQUEST, CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  @Test
  void onlyInsideOfAMessage() {
    receive(Opcode.RC_SEND_FIRST, PSN, 1024);
    receive(Opcode.RC_SEND_ONLY, PSN + 1, 10);
    assertRefused(PSN + 1, Aeth.NAK_INVALID_REQUEST, CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
  }

  @Test
  void firstThatDoesNotFillTheMtu() {
    receive(Opcode.RC_SEND_FIRST, PSN, 1020);
    assertRefused(PSN, Aeth.NAK_INVALID_REQUEST, CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  @Test
  void onlyOverTheMtu() {
    receive(Opcode.RC_SEND_ONLY, PSN, 1025);
    assertRefused(PSN, Aeth.NAK_INVALID_REQUEST, CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  @Test
  void lastOfNoBytes() {
    receive(Opcode.RC_SEND_FIRST, PSN, 1024);
    receive(Opcode.RC_SEND_LAST, PSN + 1, 0);
    assertRefused(PSN + 1, Aeth.NAK_INVALID_REQUEST, CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
  }

  @Test
  void operationThatNobodyAllowed() {
    receive(Opcode.RC_WRITE_ONLY, PSN, 10, w -> w.reth(queuePair.region.address(), queuePair.region.key(), 10));
    assertRefused(PSN, Aeth.NAK_INVALID_REQUEST, CompletionStatus.WORK_REQUEST_FLUSHED);
    assertThat(queuePair.memory.get(0)).isEqualTo(OneQueuePair.POISON);
  }

  @Test
  void receiveInMemoryThatIsNotRegistered() {
    queuePair.table.remove(queuePair.region.key());
    receive(Opcode.RC_SEND_ONLY, PSN, 10);
    assertRefused(PSN, Aeth.NAK_REMOTE_OPERATIONAL_ERROR, CompletionStatus.LOCAL_PROTECTION_ERROR);
    assertThat(queuePair.memory.get(0)).isEqualTo(OneQueuePair.POISON);
  }

  /** Duplicates are acknowledged again and never looked at: the very packet that would be refused has no effect. */
  @Test
  void duplicatesAreNotChecked() {
    receive(Opcode.RC_SEND_ONLY, PSN, 10);
    assertThat(queuePair.transmit(0).psn()).isEqualTo(PSN);
    queuePair.poll();
    receive(Opcode.RC_SEND_MIDDLE, PSN, 1025);
    RocePacket answer = queuePair.transmit(0);
    assertThat(answer.psn()).isEqualTo(PSN);
    assertThat(answer.aethSyndrome()).isEqualTo(Aeth.ACK);
    assertThat(answer.aethMsn()).isEqualTo(1);
    assertThat(queuePair.poll()).isNull();
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.READY_TO_SEND);
  }

  /** One NAK a gap, however many packets come behind it. */
  @Test
  void aGapIsNakkedOnce() {
    receive(Opcode.RC_SEND_ONLY, PSN + 1, 10);
    RocePacket nak = queuePair.transmit(0);
    assertThat(nak.psn()).isEqualTo(PSN);
    assertThat(nak.aethSyndrome()).isEqualTo(Aeth.NAK_SEQUENCE_ERROR);
    receive(Opcode.RC_SEND_ONLY, PSN + 2, 10);
    assertThat(queuePair.transmit(0)).isNull();
    receive(Opcode.RC_SEND_ONLY, PSN, 10);
    assertThat(queuePair.transmit(0).aethSyndrome()).isEqualTo(Aeth.ACK);
    receive(Opcode.RC_SEND_ONLY, PSN + 2, 10);
    assertThat(queuePair.transmit(0).psn()).isEqualTo(PSN + 1);
  }

  /** The gap closes before the NAK goes out: the peer still has to hear of the packet behind it, and of all before. */
  @Test
  void aGapThatClosesUntoldIsToldForTheNextPacket() {
    receive(Opcode.RC_SEND_FIRST, PSN, 1024, w -> w.ackRequested(true));
    receive(Opcode.RC_SEND_LAST, PSN + 2, 10);
    receive(Opcode.RC_SEND_MIDDLE, PSN + 1, 1024, w -> {});
    RocePacket nak = queuePair.transmit(0);
    assertThat(nak.aethSyndrome()).isEqualTo(Aeth.NAK_SEQUENCE_ERROR);
    assertThat(nak.psn()).isEqualTo(PSN + 2);
    assertThat(queuePair.transmit(0)).isNull();
    receive(Opcode.RC_SEND_LAST, PSN + 2, 10);
    assertThat(queuePair.transmit(0).aethSyndrome()).isEqualTo(Aeth.ACK);
    assertThat(queuePair.poll().lengthBytes).isEqualTo(2 * 1024 + 10);
  }

  /** The receive came before the RNR NAK went out: what the NAK would have acknowledged is acknowledged. */
  @Test
  void anRnrNakThatIsOutOfDateBecomesAnAck() {
    receive(Opcode.RC_SEND_ONLY, PSN, 10);
    receive(Opcode.RC_SEND_ONLY, PSN + 1, 10);
    receive(Opcode.RC_SEND_ONLY, PSN + 2, 10);
    queuePair.postReceive(3, 0, ROOM_BYTES);
    receive(Opcode.RC_SEND_ONLY, PSN + 2, 10, w -> {});
    RocePacket ack = queuePair.transmit(0);
    assertThat(ack.aethSyndrome()).isEqualTo(Aeth.ACK);
    assertThat(ack.psn()).isEqualTo(PSN + 2);
    assertThat(ack.aethMsn()).isEqualTo(3);
    assertThat(queuePair.transmit(0)).isNull();
  }

  /** What was owed before the application gave the queue pair up is owed no more. */
  @Test
  void theErrorStateAnswersNothing() {
    receive(Opcode.RC_SEND_ONLY, PSN, 10);
    queuePair.connection.enterError();
    assertThat(queuePair.transmit(0)).isNull();
  }

  private void receive(Opcode opcode, int psn, int payloadBytes) {
    receive(opcode, psn, payloadBytes, w -> w.ackRequested(opcode.isLast()));
  }

  private void receive(Opcode opcode, int psn, int payloadBytes, Consumer<PacketWriter> headers) {
    queuePair.receive(packet(REMOTE, LOCAL, opcode, NUMBER, psn, headers, new byte[payloadBytes]), 0);
  }

  private void assertRefused(int psn, int syndrome, CompletionStatus status) {
    RocePacket nak = queuePair.transmit(0);
    assertThat(nak.opcode()).isEqualTo(Opcode.RC_ACKNOWLEDGE);
    assertThat(nak.psn()).isEqualTo(psn);
    assertThat(nak.aethSyndrome()).isEqualTo(syndrome);
    assertThat(queuePair.transmit(0)).isNull();
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.ERROR);
    assertCompletion(1, status);
    assertCompletion(2, CompletionStatus.WORK_REQUEST_FLUSHED);
    assertThat(queuePair.poll()).isNull();
  }

  private void assertCompletion(long id, CompletionStatus status) {
    Completion completion = queuePair.poll();
    assertThat(completion.workRequestId).isEqualTo(id);
    assertThat(completion.status).isEqualTo(status);
  }
}
