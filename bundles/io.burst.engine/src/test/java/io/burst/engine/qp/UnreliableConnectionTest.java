package io.burst.engine.qp;

import static io.burst.engine.qp.Packets.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.wire.Captures;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.PacketWriter;
import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.Transport;
import io.burst.engine.wire.Verdict;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionOpcode;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.PathMtu;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The rules of the unreliable connection: what is broken never was, and nobody is told (IBTA volume 1, 9.8.2). */
class UnreliableConnectionTest {
  private static final String LOCAL = "192.0.2.1";
  private static final String REMOTE = "192.0.2.2";
  private static final int NUMBER = 0x41;
  private static final int PSN = 0xFF_FFFE;
  private static final int MTU = 1024;

  private final OneQueuePair queuePair =
      new OneQueuePair(Transport.UC, NUMBER, LOCAL, REMOTE, EnumSet.allOf(AccessFlag.class));

  UnreliableConnectionTest() {
    queuePair.connect(0x42, PSN, PSN, PathMtu.MTU_1024, 14, 7, 7);
    queuePair.postReceive(1, 0, 4000);
    queuePair.postReceive(2, 4000, 4000);
  }

  /** send-uc.pcap: five messages of 10,000 bytes that soft-RoCE sent, each in three packets of up to 4096. */
  @Test
  void takesWhatSoftRoceSent() {
    List<Captures.Recorded> recorded = Captures.packets(Path.of("../../itests/captures/send-uc.pcap"));
    RocePacket first = new RocePacket();
    byte[] firstBytes = recorded.get(0).bytes();
    assertThat(first.wrap(ByteBuffer.wrap(firstBytes), 0, firstBytes.length)).isEqualTo(Verdict.OK);
    OneQueuePair receiver =
        new OneQueuePair(
            Transport.UC, first.destinationQpn(), "10.77.0.2", "10.77.0.3", EnumSet.noneOf(AccessFlag.class));
    receiver.connect(1, first.psn(), 0, PathMtu.MTU_4096, 14, 7, 7);
    int messages = 0;
    for (Captures.Recorded packet : recorded) {
      receiver.postReceive(messages, 0, 10_000);
      receiver.receive(packet.bytes(), 0);
      assertThat(receiver.transmit(0)).isNull();
      for (Completion done = receiver.poll(); done != null; done = receiver.poll()) {
        assertThat(done.status).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(done.lengthBytes).isEqualTo(10_000);
        messages++;
      }
    }
    assertThat(messages).isEqualTo(5);
  }

  @Test
  void aMessageWithAGapNeverWasAndItsReceiveServesTheNext() {
    receive(Opcode.UC_SEND_FIRST, PSN, 1, MTU);
    receive(Opcode.UC_SEND_LAST, PSN + 2, 1, 10);
    assertThat(queuePair.poll()).isNull();
    receive(Opcode.UC_SEND_FIRST, PSN + 3, 2, MTU);
    receive(Opcode.UC_SEND_LAST, PSN + 4, 2, 10);
    Completion done = queuePair.poll();
    assertThat(done.workRequestId).isEqualTo(1);
    assertThat(done.lengthBytes).isEqualTo(MTU + 10);
    assertThat(queuePair.memory.get(0)).isEqualTo((byte) 2);
    assertThat(queuePair.memory.get(MTU + 9)).isEqualTo((byte) 2);
    assertThat(queuePair.memory.get(MTU + 10)).isEqualTo(OneQueuePair.POISON);
  }

  /** The next First or Only counts whatever its PSN. */
  @Test
  void aNewMessageStartsAtAnyPsn() {
    receive(Opcode.UC_SEND_ONLY, PSN + 77, 1, 5);
    assertThat(queuePair.poll().lengthBytes).isEqualTo(5);
    assertThat(queuePair.connection.receivePsn()).isEqualTo(76);
    receive(Opcode.UC_SEND_FIRST, PSN + 90, 1, MTU);
    receive(Opcode.UC_SEND_ONLY, PSN + 91, 3, 6);
    assertThat(queuePair.poll().lengthBytes).isEqualTo(6);
    receive(Opcode.UC_SEND_LAST, PSN + 92, 1, 5);
    assertThat(queuePair.poll()).isNull();
  }

  @Test
  void whatCannotBeTakenIsDroppedInSilence() {
    receive(Opcode.UC_SEND_FIRST, PSN, 1, MTU - 1);
    for (int psn = PSN + 1; psn < PSN + 4; psn++) {
      receive(Opcode.UC_SEND_FIRST, psn, 1, MTU);
    }
    for (int i = 0; i < 4; i++) {
      receive(i == 0 ? Opcode.UC_SEND_FIRST : Opcode.UC_SEND_MIDDLE, PSN + 4 + i, 1, MTU);
    }
    write(PSN + 8, queuePair.region.key() + 1, 10);
    assertThat(queuePair.counters.get(Counter.RX_DROPPED_MESSAGES)).isEqualTo(3);
    assertThat(queuePair.poll()).isNull();
    assertThat(queuePair.transmit(0)).isNull();
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    write(PSN + 9, queuePair.region.key(), 10);
    assertThat(queuePair.memory.get(9000)).isEqualTo((byte) 7);
    assertThat(queuePair.memory.get(9010)).isEqualTo(OneQueuePair.POISON);
  }

  @Test
  void withoutAReceiveTheMessageIsLost() {
    receive(Opcode.UC_SEND_ONLY, PSN, 1, 5);
    receive(Opcode.UC_SEND_ONLY, PSN + 1, 1, 5);
    receive(Opcode.UC_SEND_ONLY, PSN + 2, 1, 5);
    assertThat(queuePair.poll().workRequestId).isEqualTo(1);
    assertThat(queuePair.poll().workRequestId).isEqualTo(2);
    queuePair.postReceive(3, 0, 100);
    assertThat(queuePair.poll()).isNull();
    receive(Opcode.UC_SEND_ONLY, PSN + 3, 1, 5);
    assertThat(queuePair.poll().workRequestId).isEqualTo(3);
  }

  /** A send is done when its last packet is out; none asks for an ACK. */
  @Test
  void sendsWithoutWaiting() {
    SendRequest request = new SendRequest();
    request.opcode = SendOpcode.WRITE_WITH_IMMEDIATE;
    request.immediate = 0x01020304;
    request.remoteAddress = 0x1000;
    request.remoteKey = 0x77;
    request.buffers.add(queuePair.region.address(), 2 * MTU + 1, queuePair.region.key());
    queuePair.sends.post(request);
    RocePacket sent = queuePair.transmit(0);
    assertThat(sent.opcode()).isEqualTo(Opcode.UC_WRITE_FIRST);
    assertThat(sent.rethLengthBytes()).isEqualTo(2 * MTU + 1);
    assertThat(sent.psn()).isEqualTo(PSN);
    assertThat(queuePair.transmit(0).opcode()).isEqualTo(Opcode.UC_WRITE_MIDDLE);
    assertThat(queuePair.poll()).isNull();
    sent = queuePair.transmit(0);
    assertThat(sent.opcode()).isEqualTo(Opcode.UC_WRITE_LAST_IMMEDIATE);
    assertThat(sent.immediate()).isEqualTo(0x01020304);
    assertThat(sent.payloadBytes()).isEqualTo(1);
    assertThat(sent.ackRequested()).isFalse();
    assertThat(sent.psn()).isZero();
    assertThat(queuePair.poll().opcode).isEqualTo(CompletionOpcode.WRITE);
    assertThat(queuePair.transmit(0)).isNull();
    assertThat(queuePair.endpoint.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  /** The completion that says so may be the one too many, and then the queue pair is in the error state already. */
  @Test
  void aFailureThatOverrunsLeavesTheErrorStateAlone() {
    OneQueuePair overrun =
        new OneQueuePair(
            Transport.UC, NUMBER, LOCAL, REMOTE, EnumSet.noneOf(AccessFlag.class), new CompletionRing(2));
    overrun.connect(0x42, PSN, PSN, PathMtu.MTU_1024, 14, 7, 7);
    overrun.postSend(1, 0, 10);
    overrun.postSend(2, 0, 10);
    overrun.postSend(3, overrun.region.lengthBytes() - 5, 10);
    assertThat(overrun.transmit(0)).isNotNull();
    assertThat(overrun.transmit(0)).isNotNull();
    assertThat(overrun.transmit(0)).isNull();
    assertThat(overrun.connection.state()).isEqualTo(QueuePairState.ERROR);
  }

  @Test
  void aSendThatCannotBeReadStopsTheSendQueueOnly() {
    queuePair.postSend(7, queuePair.region.lengthBytes() - 5, 10);
    queuePair.postSend(8, 0, 10);
    assertThat(queuePair.transmit(0)).isNull();
    assertThat(queuePair.poll().status).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
    assertThat(queuePair.poll().status).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.SEND_QUEUE_ERROR);
    receive(Opcode.UC_SEND_ONLY, PSN, 1, 5);
    assertThat(queuePair.poll().status).isEqualTo(CompletionStatus.SUCCESS);
  }

  /** It broke off in the middle; the next message is sent from its start. */
  @Test
  void afterAMessageThatBrokeOffTheNextStartsAtItsStart() {
    queuePair.postSend(7, 0, 2 * MTU);
    assertThat(queuePair.transmit(0).opcode()).isEqualTo(Opcode.UC_SEND_FIRST);
    queuePair.table.remove(queuePair.region.key());
    assertThat(queuePair.transmit(0)).isNull();
    assertThat(queuePair.poll().status).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
    queuePair.connection.resume();
    Region again =
        queuePair.table.add(
            OneQueuePair.DOMAIN, queuePair.region.address(), queuePair.region.lengthBytes(), OneQueuePair.ALL);
    queuePair.post(request -> request.buffers.add(again.address(), 2 * MTU, again.key()));
    assertThat(queuePair.transmit(0).opcode()).isEqualTo(Opcode.UC_SEND_FIRST);
    assertThat(queuePair.transmit(0).opcode()).isEqualTo(Opcode.UC_SEND_LAST);
  }

  private void write(int psn, int key, int bytes) {
    byte[] payload = new byte[bytes];
    Arrays.fill(payload, (byte) 7);
    receive(Opcode.UC_WRITE_ONLY, psn, w -> w.reth(queuePair.region.address() + 9000, key, bytes), payload);
  }

  private void receive(Opcode opcode, int psn, int fill, int bytes) {
    byte[] payload = new byte[bytes];
    Arrays.fill(payload, (byte) fill);
    receive(opcode, psn, w -> w.ackRequested(true), payload);
  }

  private void receive(Opcode opcode, int psn, Consumer<PacketWriter> headers, byte[] payload) {
    queuePair.receive(packet(REMOTE, LOCAL, opcode, NUMBER, psn, headers, payload), 0);
  }
}
