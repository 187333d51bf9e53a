package io.burst.engine.qp;

import static io.burst.engine.qp.Packets.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Opcode;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.PathMtu;
import io.burst.verbs.QueuePairState;
import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Packets that must not matter: each is counted for what is wrong with it, and changes nothing. After each the
 * connection still takes the good packet that it was made from.
 */
class DroppedPacketsTest {
  private static final String LOCAL = "192.0.2.1";
  private static final String REMOTE = "192.0.2.2";
  private static final int NUMBER = 0x123456;
  private static final int REMOTE_NUMBER = 0x654321;
  private static final int RECEIVE_PSN = 0xFF_FFFF;
  private static final int SEND_PSN = 7;
  private static final byte[] PAYLOAD = {1, 2, 3, 4, 5};
  private static final int IPV4_BYTES = 20;
  private static final int UDP_LENGTH = IPV4_BYTES + 4;
  private static final int BTH = IPV4_BYTES + 8;

  private final OneQueuePair queuePair = new OneQueuePair(NUMBER, LOCAL, REMOTE);

  DroppedPacketsTest() {
    queuePair.postReceive(5, 0, 100);
    queuePair.postReceive(6, 100, 100);
  }

  @AfterEach
  void itStillTakesTheGoodPacket() {
    if (queuePair.connection.state() == QueuePairState.ERROR) {
      return;
    }
    queuePair.receive(send(), 0);
    assertThat(queuePair.poll().status).isEqualTo(CompletionStatus.SUCCESS);
    assertThat(Arrays.copyOf(memory(), PAYLOAD.length)).isEqualTo(PAYLOAD);
    assertThat(queuePair.transmit(0).aethSyndrome()).isEqualTo(Aeth.ACK);
  }

  @Test
  void wrongIcrc() {
    assertIgnored(Counter.RX_ICRC_ENCAPSULATED, changed(send(), bytes -> bytes[bytes.length - 1] ^= 1));
  }

  @Test
  void flippedPayload() {
    assertIgnored(Counter.RX_ICRC_ENCAPSULATED, changed(send(), bytes -> bytes[BTH + 12] ^= 1));
  }

  @Test
  void cutPacket() {
    byte[] whole = send();
    assertIgnored(Counter.RX_MALFORMED, Arrays.copyOf(whole, whole.length - 1));
  }

  @Test
  void udpLengthBeyondTheIpPacket() {
    assertIgnored(Counter.RX_MALFORMED, changed(send(), bytes -> bytes[UDP_LENGTH + 1] += 4));
  }

  @Test
  void otherTransportVersion() {
    assertIgnored(Counter.RX_MALFORMED, changed(send(), bytes -> bytes[BTH + 1] |= 1));
  }

  @Test
  void unknownOpcode() {
    assertIgnored(Counter.RX_UNKNOWN_OPCODE, changed(send(), bytes -> bytes[BTH] = 0x1F));
  }

  @Test
  void somebodyElsesPort() {
    assertIgnored(Counter.RX_FOREIGN, changed(send(), bytes -> bytes[IPV4_BYTES + 3] ^= 1));
  }

  @Test
  void fragment() {
    assertIgnored(Counter.RX_FOREIGN, changed(send(), bytes -> bytes[6] = 0x20));
  }

  @Test
  void emptyFrame() {
    assertIgnored(Counter.RX_FOREIGN, new byte[0]);
  }

  @Test
  void unknownQueuePair() {
    assertIgnored(
        Counter.RX_UNKNOWN_QP,
        packet(REMOTE, LOCAL, Opcode.RC_SEND_ONLY, NUMBER + 1, RECEIVE_PSN, w -> {}, PAYLOAD));
  }

  @Test
  void numberThatSharesItsLowBits() {
    assertIgnored(
        Counter.RX_UNKNOWN_QP,
        packet(REMOTE, LOCAL, Opcode.RC_SEND_ONLY, NUMBER ^ 0x800000, RECEIVE_PSN, w -> {}, PAYLOAD));
  }

  @Test
  void unreliableTransports() {
    assertIgnored(
        Counter.RX_WRONG_TRANSPORT, packet(REMOTE, LOCAL, Opcode.UC_SEND_ONLY, NUMBER, RECEIVE_PSN, w -> {}, PAYLOAD));
    assertIgnored(
        Counter.RX_WRONG_TRANSPORT,
        packet(REMOTE, LOCAL, Opcode.UD_SEND_ONLY, NUMBER, RECEIVE_PSN, w -> w.deth(1, 2), PAYLOAD));
    assertIgnored(
        Counter.RX_WRONG_TRANSPORT, packet(REMOTE, LOCAL, Opcode.CNP, NUMBER, 0, w -> {}, new byte[0]));
  }

  @Test
  void otherPartition() {
    assertIgnored(
        Counter.RX_BAD_PKEY,
        packet(REMOTE, LOCAL, Opcode.RC_SEND_ONLY, NUMBER, RECEIVE_PSN, w -> w.partitionKey(0xFFFE), PAYLOAD));
  }

  @Test
  void addressesThatAreNotTheConnections() {
    assertIgnored(
        Counter.RX_WRONG_ADDRESS,
        packet("192.0.2.3", LOCAL, Opcode.RC_SEND_ONLY, NUMBER, RECEIVE_PSN, w -> {}, PAYLOAD));
    assertIgnored(
        Counter.RX_WRONG_ADDRESS,
        packet(REMOTE, "192.0.2.9", Opcode.RC_SEND_ONLY, NUMBER, RECEIVE_PSN, w -> {}, PAYLOAD));
    assertIgnored(
        Counter.RX_WRONG_ADDRESS,
        packet("2001:db8::2", "2001:db8::1", Opcode.RC_SEND_ONLY, NUMBER, RECEIVE_PSN, w -> {}, PAYLOAD));
  }

  @Test
  void statesThatTakeNoPackets() {
    receiveIgnored(Counter.RX_WRONG_STATE, send());
    connect();
    queuePair.connection.enterError();
    while (queuePair.poll() != null) {}
    receiveIgnored(Counter.RX_WRONG_STATE, send());
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.ERROR);
  }

  @Test
  void answersToWhatWasNeverSent() {
    for (int syndrome : new int[] {0x00, 0x1F, 0x25, 0x60, 0x61, 0x62, 0x63, 0x45, 0x7F}) {
      for (int psn : new int[] {SEND_PSN - 1, SEND_PSN, SEND_PSN + 1, SEND_PSN + 0x80_0000}) {
        assertIgnored(Counter.RX_STALE_RESPONSE, acknowledge(psn, syndrome));
      }
    }
  }

  @Test
  void answersToOtherOperations() {
    assertIgnored(
        Counter.RX_STALE_RESPONSE,
        packet(REMOTE, LOCAL, Opcode.RC_READ_RESPONSE_ONLY, NUMBER, SEND_PSN, w -> w.aeth(Aeth.ACK, 0), PAYLOAD));
    assertIgnored(
        Counter.RX_STALE_RESPONSE,
        packet(
            REMOTE,
            LOCAL,
            Opcode.RC_ATOMIC_ACKNOWLEDGE,
            NUMBER,
            SEND_PSN,
            w -> w.aeth(Aeth.ACK, 0).atomicAck(9),
            new byte[0]));
  }

  /** With a request under way: its ACK still counts after all that came before it. */
  @Test
  void answersOutsideOfWhatIsUnderWay() {
    connect();
    queuePair.postSend(77, 0, 10);
    assertThat(queuePair.transmit(0).psn()).isEqualTo(SEND_PSN);
    for (int psn : new int[] {SEND_PSN - 1, SEND_PSN + 1, SEND_PSN + 2, SEND_PSN + 0x80_0000}) {
      receiveIgnored(Counter.RX_STALE_RESPONSE, acknowledge(psn, Aeth.ACK));
    }
    queuePair.receive(acknowledge(SEND_PSN, Aeth.ACK), 0);
    assertThat(queuePair.poll().workRequestId).isEqualTo(77);
  }

  private void assertIgnored(Counter counter, byte[] packet) {
    if (queuePair.connection.state() == QueuePairState.INIT) {
      connect();
    }
    receiveIgnored(counter, packet);
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    assertThat(queuePair.connection.receivePsn()).isEqualTo(RECEIVE_PSN);
    assertThat(queuePair.connection.sendPsn()).isEqualTo(SEND_PSN);
  }

  private void receiveIgnored(Counter counter, byte[] packet) {
    long[] before = counts();
    byte[] memoryBefore = memory();
    queuePair.receive(packet, 0);
    long[] after = counts();
    before[counter.ordinal()]++;
    before[Counter.RCVD_PKTS.ordinal()]++;
    assertThat(after).isEqualTo(before);
    assertThat(queuePair.transmit(0)).isNull();
    assertThat(queuePair.poll()).isNull();
    assertThat(memory()).isEqualTo(memoryBefore);
  }

  private void connect() {
    queuePair.connect(REMOTE_NUMBER, RECEIVE_PSN, SEND_PSN, PathMtu.MTU_1024, 14, 7, 7);
  }

  private long[] counts() {
    return Arrays.stream(Counter.values()).mapToLong(queuePair.counters::get).toArray();
  }

  private byte[] memory() {
    byte[] bytes = new byte[queuePair.memory.capacity()];
    queuePair.memory.get(0, bytes);
    return bytes;
  }

  private static byte[] send() {
    return packet(REMOTE, LOCAL, Opcode.RC_SEND_ONLY, NUMBER, RECEIVE_PSN, w -> w.ackRequested(true), PAYLOAD);
  }

  private static byte[] acknowledge(int psn, int syndrome) {
    return packet(REMOTE, LOCAL, Opcode.RC_ACKNOWLEDGE, NUMBER, psn, w -> w.aeth(syndrome, 1), new byte[0]);
  }

  private static byte[] changed(byte[] packet, Consumer<byte[]> change) {
    change.accept(packet);
    return packet;
  }
}
