package io.burst.engine.qp;

import static io.burst.engine.qp.Packets.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.PacketWriter;
import io.burst.engine.wire.RocePacket;
import io.burst.linux.Memory;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.PathMtu;
import io.burst.verbs.QueuePairState;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * What a peer may do with memory, and what it gets when it may not: NAK 0x62 where the memory refuses, NAK 0x61 where
 * the request itself is wrong, and no byte changed (IBTA volume 1, 9.7.4.1 and table "Responder error behavior").
 */
class RemoteAccessTest {
  private static final String LOCAL = "192.0.2.1";
  private static final String REMOTE = "192.0.2.2";
  private static final int NUMBER = 0x31;
  private static final int PSN = 0xFF_FFF0;
  private static final int MTU = 1024;

  private OneQueuePair queuePair = connected(EnumSet.allOf(AccessFlag.class));

  @Test
  void unknownKey() {
    assertRefused(write(queuePair.region.address(), queuePair.region.key() + 1, 8), Aeth.NAK_REMOTE_ACCESS_ERROR);
  }

  @Test
  void keyOfARegionThatIsGone() {
    queuePair.table.remove(queuePair.region.key());
    assertRefused(write(queuePair.region.address(), queuePair.region.key(), 8), Aeth.NAK_REMOTE_ACCESS_ERROR);
  }

  @Test
  void anotherDomainsRegion() {
    Region other = add(2, EnumSet.allOf(AccessFlag.class));
    assertRefused(write(other.address(), other.key(), 8), Aeth.NAK_REMOTE_ACCESS_ERROR);
  }

  @Test
  void onePastTheEnd() {
    long last = queuePair.region.address() + queuePair.region.lengthBytes() - 8;
    assertRefused(write(last + 1, queuePair.region.key(), 8), Aeth.NAK_REMOTE_ACCESS_ERROR);
  }

  @Test
  void oneBeforeTheStart() {
    assertRefused(write(queuePair.region.address() - 1, queuePair.region.key(), 8), Aeth.NAK_REMOTE_ACCESS_ERROR);
  }

  @Test
  void aRangeThatWraps() {
    assertRefused(write(-4, queuePair.region.key(), 8), Aeth.NAK_REMOTE_ACCESS_ERROR);
  }

  /** The First's RETH says how long the whole message is to be: what doesn't fit is refused before its first byte. */
  @Test
  void aLongWriteThatWouldLeaveTheRegion() {
    long start = queuePair.region.address() + queuePair.region.lengthBytes() - MTU;
    byte[] first =
        request(Opcode.RC_WRITE_FIRST, w -> w.reth(start, queuePair.region.key(), MTU + 1), new byte[MTU]);
    assertRefused(first, Aeth.NAK_REMOTE_ACCESS_ERROR);
  }

  @Test
  void aRegionThatDoesNotAllowIt() {
    Region readable = add(1, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ));
    assertRefused(write(readable.address(), readable.key(), 8), Aeth.NAK_REMOTE_ACCESS_ERROR);
    again();
    Region writable = add(1, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
    assertRefused(read(writable.address(), writable.key(), 8), Aeth.NAK_REMOTE_ACCESS_ERROR);
    again();
    Region noAtomics = add(1, EnumSet.complementOf(EnumSet.of(AccessFlag.REMOTE_ATOMIC)));
    assertRefused(fetchAdd(noAtomics.address(), noAtomics.key()), Aeth.NAK_REMOTE_ACCESS_ERROR);
  }

  @Test
  void aQueuePairThatDoesNotAllowIt() {
    queuePair = connected(EnumSet.of(AccessFlag.REMOTE_READ));
    assertRefused(write(queuePair.region.address(), queuePair.region.key(), 8), Aeth.NAK_INVALID_REQUEST);
    queuePair = connected(EnumSet.of(AccessFlag.REMOTE_WRITE));
    assertRefused(read(queuePair.region.address(), queuePair.region.key(), 8), Aeth.NAK_INVALID_REQUEST);
    again();
    queuePair = connected(EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
    assertRefused(fetchAdd(queuePair.region.address(), queuePair.region.key()), Aeth.NAK_INVALID_REQUEST);
  }

  @Test
  void anAtomicThatIsNotAligned() {
    assertRefused(fetchAdd(queuePair.region.address() + 4, queuePair.region.key()), Aeth.NAK_INVALID_REQUEST);
  }

  @Test
  void anAtomicWriteOfOtherThanEightBytes() {
    byte[] seven =
        request(
            Opcode.RC_ATOMIC_WRITE,
            w -> w.reth(queuePair.region.address(), queuePair.region.key(), 7),
            new byte[7]);
    assertRefused(seven, Aeth.NAK_INVALID_REQUEST);
  }

  @Test
  void aWriteOfAnotherLengthThanItSays() {
    byte[] shorter =
        request(
            Opcode.RC_WRITE_ONLY, w -> w.reth(queuePair.region.address(), queuePair.region.key(), 9), new byte[8]);
    assertRefused(shorter, Aeth.NAK_INVALID_REQUEST);
  }

  @Test
  void moreReadsThanThePeerWasTold() {
    for (int i = 0; i < 4; i++) {
      queuePair.receive(readAt(PSN + i), 0);
    }
    queuePair.receive(readAt(PSN + 4), 0);
    for (int i = 0; i < 4; i++) {
      assertThat(queuePair.transmit(0).opcode()).isEqualTo(Opcode.RC_READ_RESPONSE_ONLY);
    }
    RocePacket nak = queuePair.transmit(0);
    assertThat(nak.aethSyndrome()).isEqualTo(Aeth.NAK_INVALID_REQUEST);
    assertThat(nak.psn()).isEqualTo(PSN + 4);
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.ERROR);
  }

  /** Nothing is accessed, so nothing is checked. */
  @Test
  void zeroBytesNeedNoKey() {
    queuePair.receive(request(Opcode.RC_WRITE_ONLY, w -> w.ackRequested(true).reth(1, 2, 0), new byte[0]), 0);
    assertThat(queuePair.transmit(0).aethSyndrome()).isEqualTo(Aeth.ACK);
    queuePair.receive(
        packet(REMOTE, LOCAL, Opcode.RC_READ_REQUEST, NUMBER, PSN + 1, w -> w.reth(3, 4, 0), new byte[0]), 0);
    assertThat(queuePair.transmit(0).opcode()).isEqualTo(Opcode.RC_READ_RESPONSE_ONLY);
  }

  /** What was answered stays answered; the NAK has the PSN of the first response that there can't be. */
  @Test
  void aRegionThatGoesInTheMiddleOfARead() {
    int key = queuePair.region.key();
    queuePair.receive(
        request(Opcode.RC_READ_REQUEST, w -> w.reth(queuePair.region.address(), key, 3000), new byte[0]), 0);
    assertThat(queuePair.transmit(0).opcode()).isEqualTo(Opcode.RC_READ_RESPONSE_FIRST);
    queuePair.table.remove(key);
    RocePacket nak = queuePair.transmit(0);
    assertThat(nak.aethSyndrome()).isEqualTo(Aeth.NAK_REMOTE_ACCESS_ERROR);
    assertThat(nak.psn()).isEqualTo(PSN + 1);
    assertThat(queuePair.transmit(0)).isNull();
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.ERROR);
  }

  /** Beyond 2 GiB, and named from 0: as if the memory at hand were the end of 5 GiB. */
  @Test
  void theFarEndOfALargeRegion() {
    long before = 5L << 30;
    long start = Memory.addressOf(other) - before;
    int all = OneQueuePair.ALL | Region.bit(AccessFlag.ZERO_BASED);
    Region large = queuePair.table.add(OneQueuePair.DOMAIN, start, before + other.capacity(), all);
    assertThat(large.address()).isZero();
    queuePair.receive(
        request(
            Opcode.RC_WRITE_ONLY, w -> w.ackRequested(true).reth(before + 100, large.key(), 4), new byte[] {1, 2, 3, 4}),
        0);
    assertThat(queuePair.transmit(0).aethSyndrome()).isEqualTo(Aeth.ACK);
    assertThat(other.getInt(100)).isEqualTo(0x01020304);
    queuePair.receive(
        packet(
            REMOTE,
            LOCAL,
            Opcode.RC_READ_REQUEST,
            NUMBER,
            PSN + 1,
            w -> w.reth(before + 100, large.key(), 4),
            new byte[0]),
        0);
    RocePacket read = queuePair.transmit(0);
    assertThat(read.buffer().getInt(read.payloadOffset())).isEqualTo(0x01020304);
    other.putInt(100, 0);
    again();
    Region same = queuePair.table.add(OneQueuePair.DOMAIN, start, before + other.capacity(), all);
    assertRefused(write(before + other.capacity() - 7, same.key(), 8), Aeth.NAK_REMOTE_ACCESS_ERROR);
  }

  /** An address that is a multiple of 8 may name memory that isn't, when the region counts from 0. */
  @Test
  void anAtomicOnMemoryThatIsNotAligned() {
    int all = OneQueuePair.ALL | Region.bit(AccessFlag.ZERO_BASED);
    Region crooked = queuePair.table.add(OneQueuePair.DOMAIN, Memory.addressOf(other) + 4, 64, all);
    assertRefused(fetchAdd(8, crooked.key()), Aeth.NAK_INVALID_REQUEST);
  }

  /** An atomic that comes again gets the value that it found the first time, and adds nothing. */
  @Test
  void aDuplicateAtomicIsNotExecutedAgain() {
    queuePair.memory.order(ByteOrder.nativeOrder()).putLong(0, 40);
    byte[] request = fetchAdd(queuePair.region.address(), queuePair.region.key());
    for (int i = 0; i < 3; i++) {
      queuePair.receive(request, 0);
      assertThat(queuePair.transmit(0).atomicAckOriginal()).isEqualTo(40);
    }
    assertThat(queuePair.memory.getLong(0)).isEqualTo(42);
  }

  /** The owner may give memory up when a READ of it is done: what the link doubled comes to nothing then. */
  @Test
  void aDuplicateReadOfMemoryThatIsGoneIsIgnored() {
    byte[] request = readAt(PSN);
    queuePair.receive(request, 0);
    assertThat(queuePair.transmit(0).opcode()).isEqualTo(Opcode.RC_READ_RESPONSE_ONLY);
    queuePair.receive(request, 0);
    queuePair.table.remove(queuePair.region.key());
    assertThat(queuePair.transmit(0)).isNull();
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.READY_TO_SEND);
  }

  /** A READ that comes again may ask for the rest only; one that asks for other bytes under a used PSN gets nothing. */
  @Test
  void aDuplicateReadIsTheSameOrItsRest() {
    long address = queuePair.region.address();
    int key = queuePair.region.key();
    queuePair.receive(request(Opcode.RC_READ_REQUEST, w -> w.reth(address, key, 2500), new byte[0]), 0);
    for (int i = 0; i < 3; i++) {
      assertThat(queuePair.transmit(0).psn()).isEqualTo(PSN + i);
    }
    queuePair.receive(
        packet(
            REMOTE, LOCAL, Opcode.RC_READ_REQUEST, NUMBER, PSN + 2, w -> w.reth(address + 2048, key, 452), new byte[0]),
        0);
    RocePacket rest = queuePair.transmit(0);
    assertThat(rest.psn()).isEqualTo(PSN + 2);
    assertThat(rest.payloadBytes()).isEqualTo(452);
    assertThat(queuePair.transmit(0)).isNull();
    queuePair.receive(
        packet(
            REMOTE, LOCAL, Opcode.RC_READ_REQUEST, NUMBER, PSN + 1, w -> w.reth(address + 4096, key, 8), new byte[0]),
        0);
    assertThat(queuePair.transmit(0)).isNull();
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.READY_TO_SEND);
  }

  /** Linux 6.1's rxe_comp.c completes a READ or atomic, without its data, by an ACK of its last PSN. */
  @Test
  void aDuplicateBeforeAReadIsNotAcknowledgedByThePsnOfTheRead() {
    byte[] write = write(queuePair.region.address(), queuePair.region.key(), 8);
    queuePair.receive(write, 0);
    assertThat(queuePair.transmit(0)).as("an ACK that nobody asked for").isNull();
    queuePair.receive(readAt(PSN + 1), 0);
    assertThat(queuePair.transmit(0).opcode()).isEqualTo(Opcode.RC_READ_RESPONSE_ONLY);
    queuePair.receive(write, 0);
    RocePacket again = queuePair.transmit(0);
    assertThat(again.opcode()).isEqualTo(Opcode.RC_ACKNOWLEDGE);
    assertThat(again.psn()).isEqualTo(PSN);
  }

  private void again() {
    queuePair = connected(EnumSet.allOf(AccessFlag.class));
  }

  private static OneQueuePair connected(EnumSet<AccessFlag> access) {
    OneQueuePair made = new OneQueuePair(NUMBER, LOCAL, REMOTE, access);
    made.connect(0x32, PSN, 0, PathMtu.MTU_1024, 14, 7, 7);
    return made;
  }

  private final ByteBuffer other = ByteBuffer.allocateDirect(4096).alignedSlice(Long.BYTES);

  private Region add(int domain, EnumSet<AccessFlag> access) {
    return queuePair.table.add(domain, Memory.addressOf(other), 4096, Region.mask(access));
  }

  private byte[] write(long address, int key, int bytes) {
    return request(Opcode.RC_WRITE_ONLY, w -> w.reth(address, key, bytes), new byte[bytes]);
  }

  private byte[] read(long address, int key, int bytes) {
    return request(Opcode.RC_READ_REQUEST, w -> w.reth(address, key, bytes), new byte[0]);
  }

  private byte[] readAt(int psn) {
    return packet(
        REMOTE,
        LOCAL,
        Opcode.RC_READ_REQUEST,
        NUMBER,
        psn,
        w -> w.reth(queuePair.region.address(), queuePair.region.key(), 8),
        new byte[0]);
  }

  private byte[] fetchAdd(long address, int key) {
    return request(Opcode.RC_FETCH_ADD, w -> w.atomic(address, key, 2, 0), new byte[0]);
  }

  private static byte[] request(Opcode opcode, Consumer<PacketWriter> headers, byte[] payload) {
    return packet(REMOTE, LOCAL, opcode, NUMBER, PSN, headers, payload);
  }

  private void assertRefused(byte[] request, int syndrome) {
    queuePair.receive(request, 0);
    RocePacket nak = queuePair.transmit(0);
    assertThat(nak.opcode()).isEqualTo(Opcode.RC_ACKNOWLEDGE);
    assertThat(nak.psn()).isEqualTo(PSN);
    assertThat(nak.aethSyndrome()).isEqualTo(syndrome);
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.ERROR);
    for (int i = 0; i < queuePair.memory.capacity(); i++) {
      if (queuePair.memory.get(i) != OneQueuePair.POISON) {
        throw new AssertionError("byte " + i + " of the region was changed");
      }
    }
    for (int i = 0; i < other.capacity(); i++) {
      if (other.get(i) != 0) {
        throw new AssertionError("byte " + i + " of the other region was changed");
      }
    }
  }
}
