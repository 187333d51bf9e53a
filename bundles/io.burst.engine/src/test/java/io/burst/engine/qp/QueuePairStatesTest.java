package io.burst.engine.qp;

import static io.burst.engine.qp.Packets.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Flow;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.RocePacket;
import io.burst.spi.NextHop;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.Gid;
import io.burst.verbs.PathMtu;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.SendOpcode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;

/** The states of a queue pair (IBTA volume 1, 10.3.1) and the events that tell of them. */
class QueuePairStatesTest {
  private static final String LOCAL = "192.0.2.1";
  private static final String REMOTE = "192.0.2.2";
  private static final int NUMBER = 0x91;
  private static final int PSN = 77;

  private final OneQueuePair queuePair = new OneQueuePair(NUMBER, LOCAL, REMOTE);

  /** What has begun is sent to its end, retried and completed; what hasn't waits. */
  @Test
  void drainingFinishesWhatHasBegun() {
    queuePair.connect(0x92, PSN, 0, PathMtu.MTU_1024, 14, 7, 7);
    queuePair.postSend(1, 0, 1025);
    queuePair.postSend(2, 0, 10);
    assertThat(queuePair.transmit(0).opcode()).isEqualTo(Opcode.RC_SEND_FIRST);
    queuePair.connection.drain();
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.SEND_QUEUE_DRAINED);
    assertThat(queuePair.transmit(0).opcode()).isEqualTo(Opcode.RC_SEND_LAST);
    assertThat(queuePair.transmit(0)).isNull();
    long later = queuePair.endpoint.nextDeadlineNs();
    queuePair.endpoint.onTimeout(later);
    assertThat(queuePair.transmit(later).psn()).isZero();
    assertThat(queuePair.transmit(later).psn()).isEqualTo(1);
    assertThat(queuePair.events).isEmpty();
    acknowledge(1);
    assertThat(queuePair.poll().workRequestId).isEqualTo(1);
    assertThat(queuePair.transmit(later)).isNull();
    assertThat(queuePair.events).containsExactly(AsyncEventType.SEND_QUEUE_DRAINED);
    assertThat(queuePair.transmit(later)).isNull();
    assertThat(queuePair.events).hasSize(1);
    queuePair.connection.resume();
    assertThat(queuePair.transmit(later).opcode()).isEqualTo(Opcode.RC_SEND_ONLY);
  }

  @Test
  void aDrainedQueuePairStillReceives() {
    queuePair.connect(0x92, PSN, 0, PathMtu.MTU_1024, 14, 7, 7);
    queuePair.connection.drain();
    queuePair.postReceive(3, 0, 100);
    receive(PSN);
    assertThat(queuePair.transmit(0).aethSyndrome()).isEqualTo(Aeth.ACK);
    assertThat(queuePair.poll().status).isEqualTo(CompletionStatus.SUCCESS);
  }

  /** Nothing that was outstanding completes, no packet is taken, and the next life starts with its own PSNs. */
  @Test
  void resetForgetsEverything() {
    queuePair.connect(0x92, PSN, 5, PathMtu.MTU_1024, 14, 7, 7);
    queuePair.postSend(1, 0, 5000);
    queuePair.postReceive(2, 0, 100);
    queuePair.transmit(0);
    queuePair.connection.reset();
    assertThat(queuePair.transmit(0)).isNull();
    assertThat(queuePair.poll()).isNull();
    assertThat(queuePair.endpoint.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    receive(PSN);
    assertThat(queuePair.counters.get(Counter.RX_WRONG_STATE)).isEqualTo(1);
    queuePair.connection.initialize(EnumSet.noneOf(AccessFlag.class));
    queuePair.connect(0x92, 200, 900, PathMtu.MTU_256, 14, 7, 7);
    queuePair.postReceive(4, 0, 100);
    queuePair.postSend(3, 0, 10);
    RocePacket sent = queuePair.transmit(0);
    assertThat(sent.opcode()).isEqualTo(Opcode.RC_SEND_ONLY);
    assertThat(sent.psn()).isEqualTo(900);
    receive(200);
    assertThat(queuePair.poll().workRequestId).isEqualTo(4);
    acknowledge(900);
    assertThat(queuePair.poll().workRequestId).isEqualTo(3);
  }

  /** The peer's first message may come before the word that the connection stands. */
  @Test
  void aMessageBeforeReadyToSendSaysThatThePeerIsThere() {
    queuePair.connection.readyToReceive(new ReadyToReceive(0x92, PSN, PathMtu.MTU_1024, null, 1, 12), path());
    queuePair.postReceive(1, 0, 100);
    queuePair.postReceive(2, 0, 100);
    receive(PSN);
    assertThat(queuePair.events).containsExactly(AsyncEventType.COMMUNICATION_ESTABLISHED);
    assertThat(queuePair.transmit(0).aethSyndrome()).isEqualTo(Aeth.ACK);
    receive(PSN + 1);
    assertThat(queuePair.events).hasSize(1);
  }

  @Test
  void afterReadyToSendItSaysNothing() {
    queuePair.connect(0x92, PSN, 0, PathMtu.MTU_1024, 14, 7, 7);
    queuePair.postReceive(1, 0, 100);
    receive(PSN);
    assertThat(queuePair.events).isEmpty();
  }

  /** Else they would wait for ever. */
  @Test
  void aReadWithoutInitiatorDepthFails() {
    queuePair.connection.readyToReceive(new ReadyToReceive(0x92, PSN, PathMtu.MTU_1024, null, 0, 12), path());
    queuePair.connection.readyToSend(new ReadyToSend(0, 14, 7, 7, 0));
    queuePair.post(
        request -> {
          request.opcode = SendOpcode.READ;
          request.buffers.add(queuePair.region.address(), 8, queuePair.region.key());
        });
    assertThat(queuePair.transmit(0)).isNull();
    assertThat(queuePair.poll().status).isEqualTo(CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
  }

  private void receive(int psn) {
    queuePair.receive(
        packet(
            REMOTE, LOCAL, Opcode.RC_SEND_ONLY, NUMBER, psn, w -> w.ackRequested(true), new byte[] {1, 2, 3}),
        0);
  }

  private void acknowledge(int psn) {
    queuePair.receive(
        packet(REMOTE, LOCAL, Opcode.RC_ACKNOWLEDGE, NUMBER, psn, w -> w.aeth(Aeth.ACK, 0), new byte[0]), 0);
  }

  private static Path path() {
    try {
      InetAddress local = InetAddress.getByName(LOCAL);
      InetAddress remote = InetAddress.getByName(REMOTE);
      return new Path(new Flow(local, remote, 0xC000, 0), new NextHop() {}, Gid.of(local), Gid.of(remote));
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
