package io.burst.engine.qp;

import static io.burst.engine.qp.Packets.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.fuzz.Seal;
import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Header;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.Operation;
import io.burst.engine.wire.PacketWriter;
import io.burst.engine.wire.Position;
import io.burst.engine.wire.Transport;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.PathMtu;
import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A packet of every opcode, at a moment when it would be taken, with every defect for which it is to be dropped: it is
 * counted, and changes nothing; after it the packet without the defect is taken.
 */
class DefectivePacketsTest {
  private static final String LOCAL = "192.0.2.1";
  private static final String REMOTE = "192.0.2.2";
  private static final int NUMBER = 0x123456;
  private static final int REMOTE_NUMBER = 0x654321;
  private static final int RECEIVE_PSN = 0xFF_FFFF;
  private static final int SEND_PSN = 0xFF_FFFE;
  private static final int MTU = 256;
  private static final int SHORT = 99;
  private static final int ICRC_BYTES = 4;
  private static final int UDP = 20;
  private static final int BTH = UDP + 8;
  private static final List<Transport> SERVICES = List.of(Transport.RC, Transport.UC);

  /** What is wrong with the packet, and what it is counted as. */
  private enum Defect {
    ICRC(Counter.RX_ICRC_ENCAPSULATED, bytes -> xor(bytes, bytes.length - 1, 1)),
    CHANGED_PSN(Counter.RX_ICRC_ENCAPSULATED, bytes -> xor(bytes, BTH + 11, 1)),
    CHANGED_ACK_REQUEST(Counter.RX_ICRC_ENCAPSULATED, bytes -> xor(bytes, BTH + 8, 0x80)),
    TRANSPORT_VERSION(Counter.RX_MALFORMED, bytes -> signed(xor(bytes, BTH + 1, 1))),
    UNKNOWN_OPCODE(Counter.RX_UNKNOWN_OPCODE, bytes -> signed(set(bytes, BTH, 0x1F))),
    ENDS_IN_THE_BTH(Counter.RX_MALFORMED, bytes -> signed(cut(bytes, BTH + 8 + ICRC_BYTES))),
    NO_ROOM_FOR_ITS_PAD(Counter.RX_MALFORMED, DefectivePacketsTest::padBeyondThePayload),
    NO_WHOLE_WORDS(Counter.RX_MALFORMED, bytes -> signed(cut(bytes, bytes.length - 1))),
    UDP_LENGTH_ZERO(Counter.RX_MALFORMED, bytes -> set(set(bytes, UDP + 4, 0), UDP + 5, 0)),
    UDP_LENGTH_BEYOND_IP(Counter.RX_MALFORMED, bytes -> set(bytes, UDP + 4, 0x7F)),
    SHORTER_THAN_IT_SAYS(Counter.RX_MALFORMED, bytes -> Arrays.copyOf(bytes, bytes.length - 4)),
    IP_CHECKSUM(Counter.RX_MALFORMED, bytes -> xor(bytes, 10, 1)),
    FRAGMENT(Counter.RX_FOREIGN, bytes -> signed(set(bytes, 6, 0x20))),
    PORT(Counter.RX_FOREIGN, bytes -> signed(xor(bytes, UDP + 3, 1))),
    PARTITION(Counter.RX_BAD_PKEY, bytes -> signed(xor(bytes, BTH + 3, 1))),
    PARTITION_ZERO(Counter.RX_BAD_PKEY, bytes -> signed(set(set(bytes, BTH + 2, 0), BTH + 3, 0))),
    SOURCE(Counter.RX_WRONG_ADDRESS, bytes -> signed(xor(bytes, 15, 1))),
    DESTINATION(Counter.RX_WRONG_ADDRESS, bytes -> signed(xor(bytes, 19, 4))),
    QUEUE_PAIR(Counter.RX_UNKNOWN_QP, bytes -> signed(xor(bytes, BTH + 7, 1))),
    QUEUE_PAIR_OF_THE_SAME_LOW_BITS(Counter.RX_UNKNOWN_QP, bytes -> signed(xor(bytes, BTH + 5, 0x80)));

    private final Counter counter;
    private final UnaryOperator<byte[]> change;

    Defect(Counter counter, UnaryOperator<byte[]> change) {
      this.counter = counter;
      this.change = change;
    }
  }

  private OneQueuePair queuePair;

  static Stream<Arguments> everyDefect() {
    return SERVICES.stream()
        .flatMap(DefectivePacketsTest::opcodesOf)
        .flatMap(opcode -> Stream.of(Defect.values()).map(defect -> Arguments.of(opcode, defect)));
  }

  @ParameterizedTest
  @MethodSource
  void everyDefect(Opcode opcode, Defect defect) {
    byte[] good = prepare(opcode);
    Snapshot before = new Snapshot(queuePair);
    queuePair.receive(defect.change.apply(good.clone()), 0);
    before.assertOnlyCounted(defect.counter);
    assertTaken(opcode, good);
  }

  static Stream<Arguments> opcodesOfOtherServices() {
    return SERVICES.stream()
        .flatMap(
            service ->
                Stream.of(Opcode.values())
                    .filter(opcode -> opcode.transport() != service)
                    .map(opcode -> Arguments.of(service, opcode)));
  }

  @ParameterizedTest
  @MethodSource
  void opcodesOfOtherServices(Transport service, Opcode opcode) {
    connect(service);
    postReceives();
    Snapshot before = new Snapshot(queuePair);
    queuePair.receive(packetOf(opcode, RECEIVE_PSN, payloadBytes(opcode), 0), 0);
    before.assertOnlyCounted(Counter.RX_WRONG_TRANSPORT);
  }

  @ParameterizedTest
  @EnumSource(names = {"RC", "UC"})
  void everyCodeThatIsNoOpcode(Transport service) {
    connect(service);
    postReceives();
    byte[] good = packetOf(sendOnly(service), RECEIVE_PSN, SHORT, 0);
    IntStream.range(0, 256)
        .filter(code -> Opcode.of(code) == null)
        .forEach(
            code -> {
              Snapshot before = new Snapshot(queuePair);
              queuePair.receive(signed(set(good.clone(), BTH, code)), 0);
              before.assertOnlyCounted(Counter.RX_UNKNOWN_OPCODE);
            });
    assertTaken(sendOnly(service), good);
  }

  /** Every length from an empty frame to one byte less than the headers need, however the IP and UDP lengths agree. */
  @ParameterizedTest
  @MethodSource("allOpcodes")
  void everyLengthThatUnderflows(Opcode opcode) {
    byte[] good = prepare(opcode);
    for (int length = UDP + 8; length < BTH + opcode.headerBytes() + ICRC_BYTES; length++) {
      Snapshot before = new Snapshot(queuePair);
      queuePair.receive(signed(cut(good.clone(), length)), 0);
      before.assertOnlyCounted(Counter.RX_MALFORMED);
    }
    assertTaken(opcode, good);
  }

  /** Only SENDs, WRITEs, READ responses and ATOMIC WRITEs carry payload. */
  @ParameterizedTest
  @MethodSource("allOpcodes")
  void payloadWhereNoneBelongs(Opcode opcode) {
    if (opcode.hasPayload()) {
      return;
    }
    byte[] good = prepare(opcode);
    Snapshot before = new Snapshot(queuePair);
    queuePair.receive(signed(cut(Arrays.copyOf(good, good.length + 4), good.length + 4)), 0);
    before.assertOnlyCounted(Counter.RX_MALFORMED);
    assertTaken(opcode, good);
  }

  @ParameterizedTest
  @MethodSource("allOpcodes")
  void statesThatTakeNoPackets(Opcode opcode) {
    byte[] good = prepare(opcode);
    queuePair.connection.enterError();
    while (queuePair.poll() != null) {}
    assertIgnoredInItsState(good);
    create(opcode.transport());
    postReceives();
    assertIgnoredInItsState(good);
    queuePair.connection.reset();
    assertIgnoredInItsState(good);
  }

  /** A limited member of our partition: we are a full one, so it may talk to us. */
  @ParameterizedTest
  @MethodSource("allOpcodes")
  void aLimitedMemberIsNoDefect(Opcode opcode) {
    byte[] good = prepare(opcode);
    assertTaken(opcode, signed(xor(good, BTH + 2, 0x80)));
  }

  /** Soft-RoCE leaves the migration request clear, RNICs set it. */
  @ParameterizedTest
  @MethodSource("allOpcodes")
  void theMigrationRequestMayBeClear(Opcode opcode) {
    byte[] good = prepare(opcode);
    assertTaken(opcode, signed(xor(good, BTH + 1, 0x40)));
  }

  /** Before what is under way, behind it, and half the circle away. */
  @ParameterizedTest
  @ValueSource(ints = {-1, -2, 3, 4, 0x80_0000, 0x80_0003, 0xC0_0000})
  void answersToWhatWasNeverSentOrIsDone(int distance) {
    for (Opcode opcode : Opcode.values()) {
      if (opcode.isResponse()) {
        byte[] good = prepare(opcode);
        int first = SEND_PSN + distance;
        for (int syndrome : new int[] {Aeth.ACK, 0, 0x25, 0x60, 0x61, 0x62, 0x63, 0x45, 0x7F}) {
          Snapshot before = new Snapshot(queuePair);
          queuePair.receive(packetOf(opcode, first, payloadBytes(opcode), syndrome), 0);
          before.assertOnlyCounted(Counter.RX_STALE_RESPONSE);
        }
        assertTaken(opcode, good);
      }
    }
  }

  /** Of the kind that the request under way has no use for. */
  @Test
  void answersOfAnotherKind() {
    byte[] good = prepare(Opcode.RC_READ_RESPONSE_ONLY);
    Snapshot before = new Snapshot(queuePair);
    queuePair.receive(packetOf(Opcode.RC_ATOMIC_ACKNOWLEDGE, SEND_PSN, 0, Aeth.ACK), 0);
    before.assertOnlyCounted(Counter.RX_STALE_RESPONSE);
    assertTaken(Opcode.RC_READ_RESPONSE_ONLY, good);
    for (Opcode sent : List.of(Opcode.RC_ACKNOWLEDGE, Opcode.RC_ATOMIC_ACKNOWLEDGE)) {
      for (Opcode opcode : Opcode.values()) {
        if (opcode.isResponse() && opcode != Opcode.RC_ACKNOWLEDGE && opcode != sent) {
          good = prepare(sent);
          before = new Snapshot(queuePair);
          queuePair.receive(packetOf(opcode, SEND_PSN, payloadBytes(opcode), Aeth.ACK), 0);
          before.assertOnlyCounted(Counter.RX_STALE_RESPONSE);
          assertTaken(sent, good);
        }
      }
    }
  }

  static Stream<Opcode> allOpcodes() {
    return SERVICES.stream().flatMap(DefectivePacketsTest::opcodesOf);
  }

  private static Stream<Opcode> opcodesOf(Transport service) {
    return Stream.of(Opcode.values()).filter(opcode -> opcode.transport() == service);
  }

  private void assertIgnoredInItsState(byte[] packet) {
    Snapshot before = new Snapshot(queuePair);
    queuePair.receive(packet, 0);
    before.assertOnlyCounted(Counter.RX_WRONG_STATE);
  }

  /** Not dropped: of what is counted for dropped, repeated and early packets, nothing is. */
  private void assertTaken(Opcode opcode, byte[] packet) {
    Snapshot before = new Snapshot(queuePair);
    queuePair.receive(packet, 0);
    assertThat(before.changes().keySet())
        .as("%s", opcode)
        .isSubsetOf(Counter.RCVD_PKTS, Counter.RESP_CQE_ERROR, Counter.REQ_CQE_ERROR);
  }

  private void create(Transport service) {
    queuePair = new OneQueuePair(service, NUMBER, LOCAL, REMOTE, EnumSet.allOf(AccessFlag.class));
  }

  private void connect(Transport service) {
    create(service);
    queuePair.connect(REMOTE_NUMBER, RECEIVE_PSN, SEND_PSN, PathMtu.MTU_256, 14, 7, 7);
  }

  private void postReceives() {
    queuePair.postReceive(5, 0, 1000);
    queuePair.postReceive(6, 1000, 1000);
  }

  /** Brings a queue pair to where a packet of the opcode is the one to come next, and returns it. */
  private byte[] prepare(Opcode opcode) {
    connect(opcode.transport());
    postReceives();
    boolean later = opcode.position() == Position.MIDDLE || opcode.position() == Position.LAST;
    if (opcode.isResponse()) {
      return prepareAnswer(opcode);
    }
    if (later) {
      int first = opcode.operation() == Operation.SEND ? 0x00 : 0x06;
      int unreliable = opcode.transport() == Transport.UC ? 0x20 : 0;
      queuePair.receive(packetOf(Opcode.of(first + unreliable), RECEIVE_PSN, MTU, 0, totalBytes(opcode)), 0);
    }
    return packetOf(opcode, later ? RECEIVE_PSN + 1 : RECEIVE_PSN, payloadBytes(opcode), 0, totalBytes(opcode));
  }

  private byte[] prepareAnswer(Opcode opcode) {
    SendRequest request = new SendRequest();
    request.remoteAddress = 0x1000;
    boolean read = opcode.operation() == Operation.READ_RESPONSE;
    boolean atomic = opcode == Opcode.RC_ATOMIC_ACKNOWLEDGE;
    request.opcode = read ? SendOpcode.READ : atomic ? SendOpcode.FETCH_ADD : SendOpcode.SEND;
    int bytes = atomic ? Long.BYTES : opcode.position() == Position.ONLY ? SHORT : 2 * MTU + SHORT;
    request.buffers.add(queuePair.region.address() + 5000, bytes, queuePair.region.key());
    queuePair.sends.post(request);
    while (queuePair.transmit(0) != null) {}
    int psn = SEND_PSN;
    List<Opcode> pieces =
        List.of(Opcode.RC_READ_RESPONSE_FIRST, Opcode.RC_READ_RESPONSE_MIDDLE, Opcode.RC_READ_RESPONSE_LAST);
    for (int piece = 0; piece < pieces.indexOf(opcode); piece++) {
      queuePair.receive(packetOf(pieces.get(piece), psn++, MTU, Aeth.ACK), 0);
    }
    return packetOf(opcode, psn, payloadBytes(opcode), Aeth.ACK);
  }

  private static int payloadBytes(Opcode opcode) {
    if (!opcode.hasPayload()) {
      return 0;
    }
    return opcode.operation() == Operation.ATOMIC_WRITE ? Long.BYTES : opcode.isLast() ? SHORT : MTU;
  }

  /** Of the message that the packet is part of. */
  private static int totalBytes(Opcode opcode) {
    return switch (opcode.position()) {
      case FIRST, MIDDLE -> 3 * MTU;
      case LAST -> MTU + SHORT;
      case ONLY -> opcode.operation() == Operation.ATOMIC_WRITE ? Long.BYTES : SHORT;
    };
  }

  private byte[] packetOf(Opcode opcode, int psn, int payloadBytes, int syndrome) {
    return packetOf(opcode, psn, payloadBytes, syndrome, totalBytes(opcode));
  }

  private byte[] packetOf(Opcode opcode, int psn, int payloadBytes, int syndrome, int totalBytes) {
    byte[] payload = new byte[payloadBytes];
    Arrays.fill(payload, (byte) 0x3C);
    return packet(REMOTE, LOCAL, opcode, NUMBER, psn, w -> fill(w, opcode, syndrome, totalBytes), payload);
  }

  private void fill(PacketWriter writer, Opcode opcode, int syndrome, int totalBytes) {
    long address = queuePair.region.address() + 8000;
    int key = queuePair.region.key();
    for (Header header : opcode.headers()) {
      switch (header) {
        case RETH -> writer.reth(address, key, totalBytes);
        case AETH -> writer.aeth(syndrome, 1);
        case ATOMIC_ETH -> writer.atomic(address, key, 1, 2);
        case ATOMIC_ACK_ETH -> writer.atomicAck(9);
        case IMM_DT -> writer.immediate(7);
        case IETH -> writer.invalidate(key);
        case DETH -> writer.deth(0x1111, 9);
        case FETH -> writer.feth(0, 0);
        case CNP_RESERVED -> { }
      }
    }
  }

  private static Opcode sendOnly(Transport service) {
    return service == Transport.RC ? Opcode.RC_SEND_ONLY : Opcode.UC_SEND_ONLY;
  }

  private static byte[] set(byte[] bytes, int index, int value) {
    bytes[index] = (byte) value;
    return bytes;
  }

  private static byte[] xor(byte[] bytes, int index, int bits) {
    bytes[index] ^= (byte) bits;
    return bytes;
  }

  /** To this many bytes from the IP header on, and with lengths that say so. */
  private static byte[] cut(byte[] bytes, int length) {
    byte[] shorter = Arrays.copyOf(bytes, length);
    ByteBuffer.wrap(shorter).putShort(2, (short) length).putShort(UDP + 4, (short) (length - UDP));
    return shorter;
  }

  /** As much pad as can be said, in a packet that ends with its headers. */
  private static byte[] padBeyondThePayload(byte[] bytes) {
    int headersEnd = BTH + Opcode.of(bytes[BTH]).headerBytes();
    byte[] empty = cut(bytes, headersEnd + ICRC_BYTES);
    return signed(set(empty, BTH + 1, 0x70));
  }

  private static byte[] signed(byte[] bytes) {
    Seal.sign(bytes);
    return bytes;
  }
}
