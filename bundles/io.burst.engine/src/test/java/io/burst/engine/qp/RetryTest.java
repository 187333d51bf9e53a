package io.burst.engine.qp;

import static io.burst.engine.qp.Packets.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.Transport;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.PathMtu;
import io.burst.verbs.QueuePairState;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the requester does when the peer says no, or nothing; the times and counts are those of IBTA volume 1, 9.7.5 and
 * 9.7.6.
 */
class RetryTest {
  private static final String LOCAL = "2001:db8::1";
  private static final String REMOTE = "2001:db8::2";
  private static final int NUMBER = 0x11;
  private static final int REMOTE_NUMBER = 0x12;
  private static final int SEND_PSN = 0xFF_FFFE;
  private static final int TIMEOUT = 10;
  private static final long TIMEOUT_NS = 4_194_304;

  private final OneQueuePair queuePair = new OneQueuePair(NUMBER, LOCAL, REMOTE);

  @ParameterizedTest
  @CsvSource({"0", "2", "7"})
  void aSilentPeerIsTriedOnceMoreThanTheRetryCount(int retryCount) {
    connect(TIMEOUT, retryCount);
    post(1, 10);
    post(2, 10);
    long nowNs = 0;
    for (int transmission = 0; transmission <= retryCount; transmission++) {
      long waitNs = TIMEOUT_NS * (transmission == 0 ? 1 : transmission == 1 ? 2 : 4);
      assertThat(transmit(nowNs)).containsExactly(SEND_PSN, SEND_PSN + 1);
      assertThat(queuePair.endpoint.nextDeadlineNs()).isEqualTo(nowNs + waitNs);
      queuePair.endpoint.onTimeout(nowNs + waitNs - 1);
      assertThat(transmit(nowNs + waitNs - 1)).isEmpty();
      nowNs += waitNs;
      queuePair.endpoint.onTimeout(nowNs);
    }
    assertThat(transmit(nowNs)).isEmpty();
    assertCompletion(1, CompletionStatus.RETRY_EXCEEDED);
    assertCompletion(2, CompletionStatus.WORK_REQUEST_FLUSHED);
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.ERROR);
    assertThat(queuePair.endpoint.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void timeoutZeroMeansNoTimer() {
    connect(0, 7);
    post(1, 10);
    assertThat(transmit(0)).hasSize(1);
    assertThat(queuePair.endpoint.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void anAckRefillsTheRetries() {
    connect(TIMEOUT, 1);
    post(1, 3000);
    transmit(0);
    queuePair.endpoint.onTimeout(TIMEOUT_NS);
    transmit(TIMEOUT_NS);
    acknowledge(SEND_PSN, Aeth.ACK, TIMEOUT_NS);
    queuePair.endpoint.onTimeout(2 * TIMEOUT_NS);
    assertThat(transmit(2 * TIMEOUT_NS)).containsExactly(SEND_PSN + 1, 0);
    assertThat(queuePair.poll()).isNull();
  }

  /** A NAK 0x60 acknowledges all before its PSN and asks for all from it on, with the bytes that belong there. */
  @Test
  void aSequenceErrorGoesBackToItsPsn() {
    connect(TIMEOUT, 7);
    for (int i = 0; i < 3000; i++) {
      queuePair.memory.put(i, (byte) (i / 1024));
    }
    post(1, 10);
    post(2, 3000);
    assertThat(transmit(0)).containsExactly(SEND_PSN, SEND_PSN + 1, 0, 1);
    acknowledge(0, Aeth.NAK_SEQUENCE_ERROR, 1);
    assertCompletion(1, CompletionStatus.SUCCESS);
    RocePacket again = queuePair.transmit(1);
    assertThat(again.psn()).isZero();
    assertThat(again.opcode()).isEqualTo(Opcode.RC_SEND_MIDDLE);
    assertThat(again.buffer().get(again.payloadOffset())).isEqualTo((byte) 1);
    assertThat(transmit(1)).containsExactly(1);
    acknowledge(1, Aeth.ACK, 2);
    assertCompletion(2, CompletionStatus.SUCCESS);
    assertThat(queuePair.endpoint.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  /**
   * RNR timer code 12 is 640 us; the NAK 0x60 that soft-RoCE sends after it, as in send-rnr.pcap, must not cut the
   * wait.
   */
  @Test
  void receiverNotReadyWaitsTheAdvertisedTime() {
    connect(TIMEOUT, 0);
    post(1, 10);
    post(2, 10);
    transmit(0);
    acknowledge(SEND_PSN, 0x20 | 12, 5000);
    acknowledge(SEND_PSN, Aeth.NAK_SEQUENCE_ERROR, 6000);
    assertThat(queuePair.endpoint.nextDeadlineNs()).isEqualTo(645_000);
    queuePair.endpoint.onTimeout(644_999);
    assertThat(transmit(644_999)).isEmpty();
    assertThat(transmit(645_000)).containsExactly(SEND_PSN, SEND_PSN + 1);
    assertThat(queuePair.poll()).isNull();
  }

  /** The link doubled it: nothing was sent since, so it can't be about a retry. */
  @Test
  void aDoubledReceiverNotReadyUsesOneRetry() {
    queuePair.connect(REMOTE_NUMBER, 0, SEND_PSN, PathMtu.MTU_1024, TIMEOUT, 0, 1);
    post(1, 10);
    transmit(0);
    acknowledge(SEND_PSN, 0x20 | 12, 5000);
    acknowledge(SEND_PSN, 0x20 | 12, 6000);
    assertThat(queuePair.poll()).isNull();
    assertThat(transmit(645_000)).containsExactly(SEND_PSN);
  }

  @Test
  void receiverNotReadyIsRetriedAsOftenAsAsked() {
    queuePair.connect(REMOTE_NUMBER, 0, SEND_PSN, PathMtu.MTU_1024, TIMEOUT, 0, 2);
    post(1, 10);
    post(2, 10);
    long nowNs = 0;
    for (int transmission = 0; transmission < 3; transmission++) {
      assertThat(transmit(nowNs)).hasSize(2);
      acknowledge(SEND_PSN, 0x20 | 1, nowNs);
      nowNs += 10_000;
    }
    assertThat(transmit(nowNs)).isEmpty();
    assertCompletion(1, CompletionStatus.RECEIVER_NOT_READY_RETRY_EXCEEDED);
    assertCompletion(2, CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  @ParameterizedTest
  @CsvSource({"0x61, REMOTE_INVALID_REQUEST", "0x62, REMOTE_ACCESS_ERROR", "0x63, REMOTE_OPERATION_ERROR"})
  void aRefusalFailsItsRequestAndFlushesTheRest(int syndrome, CompletionStatus status) {
    connect(TIMEOUT, 7);
    post(1, 10);
    post(2, 10);
    post(3, 10);
    transmit(0);
    acknowledge(SEND_PSN + 1, syndrome, 0);
    assertCompletion(1, CompletionStatus.SUCCESS);
    assertCompletion(2, status);
    assertCompletion(3, CompletionStatus.WORK_REQUEST_FLUSHED);
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.ERROR);
    post(4, 10);
    assertThat(transmit(0)).isEmpty();
    assertCompletion(4, CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  /** What the NAK acknowledges overruns the completion queue, so that nothing is left for it to refuse. */
  @ParameterizedTest
  @ValueSource(ints = {0x20 | 1, 0x60, 0x61, 0x62, 0x63})
  void aRefusalAfterAnOverrunFindsNothingMoreToFail(int syndrome) {
    OneQueuePair overrun =
        new OneQueuePair(
            Transport.RC, NUMBER, LOCAL, REMOTE, EnumSet.noneOf(AccessFlag.class), new CompletionRing(1));
    overrun.connect(REMOTE_NUMBER, 0, SEND_PSN, PathMtu.MTU_1024, TIMEOUT, 0, 0);
    for (int i = 0; i < 5; i++) {
      overrun.postSend(i, 0, 10);
      overrun.transmit(0);
    }
    overrun.receive(acknowledge(2, syndrome), 0);
    assertThat(overrun.connection.state()).isEqualTo(QueuePairState.ERROR);
    assertThat(overrun.connection.outstandingSends()).isZero();
    overrun.endpoint.onTimeout(TIMEOUT_NS);
    assertThat(overrun.connection.outstandingSends()).isZero();
    assertThat(overrun.endpoint.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void memoryThatIsNotRegisteredFailsInItsTurn() {
    connect(TIMEOUT, 7);
    post(1, 10);
    queuePair.postSend(2, queuePair.region.lengthBytes() - 9, 10);
    assertThat(transmit(0)).containsExactly(SEND_PSN);
    assertThat(queuePair.poll()).isNull();
    acknowledge(SEND_PSN, Aeth.ACK, 0);
    assertThat(transmit(0)).isEmpty();
    assertCompletion(1, CompletionStatus.SUCCESS);
    assertCompletion(2, CompletionStatus.LOCAL_PROTECTION_ERROR);
  }

  /** The ACK was only late: what it acknowledges is not sent again. */
  @Test
  void anAckThatPassesTheCursorTakesItAlong() {
    connect(TIMEOUT, 7);
    post(1, 3000);
    transmit(0);
    queuePair.endpoint.onTimeout(TIMEOUT_NS);
    acknowledge(SEND_PSN + 1, Aeth.ACK, TIMEOUT_NS);
    assertThat(transmit(TIMEOUT_NS)).containsExactly(0);
    acknowledge(0, Aeth.ACK, TIMEOUT_NS);
    assertCompletion(1, CompletionStatus.SUCCESS);
    assertThat(queuePair.endpoint.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  /** However few ACKs come, the packet that fills the window has asked for one. */
  @Test
  void aFullWindowHasAskedForAnAck() {
    connect(TIMEOUT, 7);
    post(1, 200 * 1024);
    RocePacket last = null;
    int count = 0;
    for (RocePacket packet = queuePair.transmit(0); packet != null; packet = queuePair.transmit(0)) {
      last = packet;
      count++;
      if (count == 5) {
        acknowledge(SEND_PSN, Aeth.ACK, 0);
      }
    }
    assertThat(count).isLessThan(200);
    assertThat(last).isNotNull();
    assertThat(last.ackRequested()).isTrue();
  }

  private void connect(int timeout, int retryCount) {
    queuePair.connect(REMOTE_NUMBER, 0, SEND_PSN, PathMtu.MTU_1024, timeout, retryCount, 7);
  }

  private void post(int id, int lengthBytes) {
    queuePair.postSend(id, 0, lengthBytes);
  }

  private List<Integer> transmit(long nowNs) {
    List<Integer> psns = new ArrayList<>();
    for (RocePacket packet = queuePair.transmit(nowNs); packet != null; packet = queuePair.transmit(nowNs)) {
      assertThat(packet.destinationQpn()).isEqualTo(REMOTE_NUMBER);
      psns.add(packet.psn());
    }
    return psns;
  }

  private void acknowledge(int psn, int syndrome, long nowNs) {
    queuePair.receive(acknowledge(psn, syndrome), nowNs);
  }

  private static byte[] acknowledge(int psn, int syndrome) {
    return packet(REMOTE, LOCAL, Opcode.RC_ACKNOWLEDGE, NUMBER, psn, w -> w.aeth(syndrome, 1), new byte[0]);
  }

  private void assertCompletion(long id, CompletionStatus status) {
    Completion completion = queuePair.poll();
    assertThat(completion).isNotNull();
    assertThat(completion.workRequestId).isEqualTo(id);
    assertThat(completion.status).isEqualTo(status);
  }
}
