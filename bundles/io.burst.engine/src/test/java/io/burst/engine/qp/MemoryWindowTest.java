package io.burst.engine.qp;

import static io.burst.engine.qp.Packets.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.RocePacket;
import io.burst.linux.Memory;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionOpcode;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.MemoryWindow;
import io.burst.verbs.PathMtu;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory windows of type 2: who may bind them to what, what they open, and how they go (IBTA volume 1, 10.6.7). */
class MemoryWindowTest {
  private static final String LOCAL = "192.0.2.1";
  private static final String REMOTE = "192.0.2.2";
  private static final int NUMBER = 0x61;
  private static final int PSN = 500;
  private static final Set<AccessFlag> READ_WRITE = EnumSet.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);

  private OneQueuePair queuePair;
  private Region window;
  private int psn;

  @BeforeEach
  void open() {
    queuePair = new OneQueuePair(NUMBER, LOCAL, REMOTE, EnumSet.allOf(AccessFlag.class));
    queuePair.connect(0x62, PSN, 0, PathMtu.MTU_1024, 14, 7, 7);
    window = queuePair.table.addWindow(OneQueuePair.DOMAIN);
    psn = PSN;
  }

  @Test
  void aBoundWindowOpensItsRangeOnly() {
    int key = bind(1000, 100, READ_WRITE);
    assertThat(queuePair.table.currentKey(window.key())).isEqualTo(key);
    assertThat(queuePair.region.windows()).isEqualTo(1);
    write(queuePair.region.address() + 1000, key, 100);
    assertThat(queuePair.transmit(0).aethSyndrome()).isEqualTo(Aeth.ACK);
    assertThat(queuePair.memory.get(999)).isEqualTo(OneQueuePair.POISON);
    assertThat(queuePair.memory.get(1000)).isZero();
    assertThat(queuePair.memory.get(1099)).isZero();
    write(queuePair.region.address() + 1000, key, 101);
    assertRefused(Aeth.NAK_REMOTE_ACCESS_ERROR);
    assertThat(queuePair.memory.get(1100)).isEqualTo(OneQueuePair.POISON);
  }

  @Test
  void aWindowAllowsWhatItWasBoundFor() {
    int key = bind(1000, 100, EnumSet.of(AccessFlag.REMOTE_READ));
    write(queuePair.region.address() + 1000, key, 8);
    assertRefused(Aeth.NAK_REMOTE_ACCESS_ERROR);
    assertThat(queuePair.memory.get(1000)).isEqualTo(OneQueuePair.POISON);
  }

  @Test
  void aZeroBasedWindowCountsFromNothing() {
    int key = bind(1000, 100, EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.ZERO_BASED));
    write(90, key, 10);
    assertThat(queuePair.transmit(0).aethSyndrome()).isEqualTo(Aeth.ACK);
    assertThat(queuePair.memory.get(1089)).isEqualTo(OneQueuePair.POISON);
    assertThat(queuePair.memory.get(1090)).isZero();
    assertThat(queuePair.memory.get(1099)).isZero();
    write(91, key, 10);
    assertRefused(Aeth.NAK_REMOTE_ACCESS_ERROR);
  }

  @Test
  void itIsGoodOnTheQueuePairThatBoundIt() {
    int key = bind(1000, 100, READ_WRITE);
    OneQueuePair other = new OneQueuePair(queuePair, new ReceiveQueue(1));
    other.connect(0x63, PSN, 0, PathMtu.MTU_1024, 14, 7, 7);
    int number = other.connection.number();
    queuePair.receive(
        packet(
            REMOTE,
            LOCAL,
            Opcode.RC_WRITE_ONLY,
            number,
            PSN,
            w -> w.reth(queuePair.region.address() + 1000, key, 8),
            new byte[8]),
        0);
    assertThat(queuePair.transmit(0).aethSyndrome()).isEqualTo(Aeth.NAK_REMOTE_ACCESS_ERROR);
    assertThat(other.connection.state()).isEqualTo(QueuePairState.ERROR);
    assertThat(queuePair.memory.get(1000)).isEqualTo(OneQueuePair.POISON);
  }

  /** A SEND names the window, which is gone when the receive completes, and the completion tells which. */
  @Test
  void theInvalidatingSendTakesItAway() {
    int key = bind(1000, 100, READ_WRITE);
    queuePair.postReceive(9, 0, 100);
    sendWithInvalidate(key);
    assertThat(queuePair.transmit(0).aethSyndrome()).isEqualTo(Aeth.ACK);
    Completion done = queuePair.poll();
    assertThat(done.workRequestId).isEqualTo(9);
    assertThat(done.status).isEqualTo(CompletionStatus.SUCCESS);
    assertThat(done.hasInvalidatedKey).isTrue();
    assertThat(done.invalidatedKey).isEqualTo(key);
    assertThat(queuePair.region.windows()).isZero();
    write(queuePair.region.address() + 1000, key, 8);
    assertRefused(Aeth.NAK_REMOTE_ACCESS_ERROR);
    assertThat(queuePair.memory.get(1000)).isEqualTo(OneQueuePair.POISON);
  }

  /** An ordinary region can't be taken away by the peer: the receive fails, and nothing arrives. */
  @Test
  void whatIsNoWindowIsNotInvalidated() {
    queuePair.postReceive(9, 0, 100);
    sendWithInvalidate(queuePair.region.key());
    assertRefused(Aeth.NAK_REMOTE_ACCESS_ERROR);
    assertThat(queuePair.poll().status).isEqualTo(CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
    assertThat(queuePair.memory.get(0)).isEqualTo(OneQueuePair.POISON);
  }

  @Test
  void aWindowIsInvalidatedOnce() {
    int key = bind(1000, 100, READ_WRITE);
    queuePair.postReceive(9, 0, 100);
    queuePair.postReceive(10, 0, 100);
    sendWithInvalidate(key);
    assertThat(queuePair.transmit(0).aethSyndrome()).isEqualTo(Aeth.ACK);
    assertThat(queuePair.poll().status).isEqualTo(CompletionStatus.SUCCESS);
    psn--;
    sendWithInvalidate(key);
    assertThat(queuePair.transmit(0).aethSyndrome()).as("a duplicate is acknowledged").isEqualTo(Aeth.ACK);
    sendWithInvalidate(key);
    assertRefused(Aeth.NAK_REMOTE_ACCESS_ERROR);
  }

  @Test
  void theOwnerTakesItAwayAndBindsItAnew() {
    int first = bind(1000, 100, READ_WRITE);
    queuePair.post(
        request -> {
          request.opcode = SendOpcode.LOCAL_INVALIDATE;
          request.invalidateKey = first;
        });
    assertThat(queuePair.transmit(0)).isNull();
    Completion done = queuePair.poll();
    assertThat(done.status).isEqualTo(CompletionStatus.SUCCESS);
    assertThat(done.opcode).isEqualTo(CompletionOpcode.LOCAL_INVALIDATE);
    int second = bind(2000, 10, READ_WRITE);
    assertThat(second).isNotEqualTo(first);
    write(queuePair.region.address() + 2000, second, 10);
    assertThat(queuePair.transmit(0).aethSyndrome()).isEqualTo(Aeth.ACK);
    write(queuePair.region.address() + 1000, first, 10);
    assertRefused(Aeth.NAK_REMOTE_ACCESS_ERROR);
  }

  /** What is done at this end completes in its turn: not before what was posted before it is acknowledged. */
  @Test
  void aBindingCompletesInOrder() {
    queuePair.postSend(1, 0, 10);
    postBinding(2, window.key(), MemoryWindow.nextKey(window.key()), queuePair.region, 0, 10, READ_WRITE);
    queuePair.postSend(3, 0, 10);
    assertThat(queuePair.transmit(0).psn()).isZero();
    RocePacket second = queuePair.transmit(0);
    assertThat(second.psn()).as("a binding takes no PSN").isEqualTo(1);
    assertThat(queuePair.table.currentKey(window.key())).isNotEqualTo(window.key());
    assertThat(queuePair.poll()).isNull();
    acknowledge(1);
    assertThat(queuePair.poll().workRequestId).isEqualTo(1);
    Completion bound = queuePair.poll();
    assertThat(bound.workRequestId).isEqualTo(2);
    assertThat(bound.opcode).isEqualTo(CompletionOpcode.BIND_MEMORY_WINDOW);
    assertThat(queuePair.poll().workRequestId).isEqualTo(3);
  }

  /** A retransmission that goes over it again doesn't bind again, which would fail. */
  @Test
  void aRetryPassesABindingThatWasDone() {
    queuePair.postSend(1, 0, 10);
    postBinding(2, window.key(), MemoryWindow.nextKey(window.key()), queuePair.region, 0, 10, READ_WRITE);
    queuePair.postSend(3, 0, 10);
    queuePair.transmit(0);
    queuePair.transmit(0);
    long later = queuePair.endpoint.nextDeadlineNs();
    queuePair.endpoint.onTimeout(later);
    assertThat(queuePair.transmit(later).psn()).isZero();
    assertThat(queuePair.transmit(later).psn()).isEqualTo(1);
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    acknowledge(1);
    for (int id = 1; id <= 3; id++) {
      Completion done = queuePair.poll();
      assertThat(done.workRequestId).isEqualTo(id);
      assertThat(done.status).isEqualTo(CompletionStatus.SUCCESS);
    }
  }

  @Test
  void bindingsThatAreNotAllowed() {
    long end = queuePair.region.lengthBytes();
    Region foreign = add(2, OneQueuePair.ALL);
    Region unbindable = add(1, Region.mask(EnumSet.complementOf(EnumSet.of(AccessFlag.MEMORY_WINDOW_BIND))));
    Region constant = add(1, Region.mask(EnumSet.of(AccessFlag.MEMORY_WINDOW_BIND)));
    Region foreignWindow = queuePair.table.addWindow(2);
    Region otherWindow = queuePair.table.addWindow(1);
    int key = window.key();
    int next = MemoryWindow.nextKey(key);
    assertNotBound(key, key, queuePair.region, 0, 10, READ_WRITE);
    assertNotBound(key, MemoryWindow.nextKey(otherWindow.key()), queuePair.region, 0, 10, READ_WRITE);
    assertNotBound(next, key, queuePair.region, 0, 10, READ_WRITE);
    assertNotBound(queuePair.region.key(), queuePair.region.key() + 1, queuePair.region, 0, 10, READ_WRITE);
    assertNotBound(
        foreignWindow.key(), MemoryWindow.nextKey(foreignWindow.key()), queuePair.region, 0, 10, READ_WRITE);
    assertNotBound(key, next, foreign, 0, 10, READ_WRITE);
    assertNotBound(key, next, unbindable, 0, 10, READ_WRITE);
    assertNotBound(key, next, otherWindow, 0, 10, READ_WRITE);
    assertNotBound(key, next, constant, 0, 10, READ_WRITE);
    assertNotBound(key, next, queuePair.region, end - 5, 6, READ_WRITE);
    assertNotBound(key, next, queuePair.region, -1, 6, READ_WRITE);
    assertNotBound(key, next, queuePair.region, 0, 0, READ_WRITE);
    assertNotBound(key, next, queuePair.region, 0, 10, EnumSet.of(AccessFlag.LOCAL_WRITE));
  }

  @Test
  void aBoundWindowIsNotBoundAgain() {
    int key = bind(1000, 100, READ_WRITE);
    assertNotBound(key, MemoryWindow.nextKey(key), queuePair.region, 0, 10, READ_WRITE);
  }

  @Test
  void whatIsNotBoundIsNotInvalidated() {
    queuePair.post(
        request -> {
          request.opcode = SendOpcode.LOCAL_INVALIDATE;
          request.invalidateKey = window.key();
        });
    queuePair.transmit(0);
    assertThat(queuePair.poll().status).isEqualTo(CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.ERROR);
  }

  /** It carries no bytes, so it must not write over those of the requests around it. */
  @Test
  void aLocalRequestThatSaysInlineCopiesNothing() {
    SendQueue sends = new SendQueue(2, 8);
    long address = Memory.addressOf(queuePair.memory);
    queuePair.memory.putLong(0, 42);
    sends.post(inline(SendOpcode.SEND, address, 8));
    sends.post(inline(SendOpcode.SEND, address, 8));
    sends.freeOldest();
    sends.post(inline(SendOpcode.LOCAL_INVALIDATE, address + 100, 16));
    sends.gather(1, 0, address + 200, 8);
    assertThat(queuePair.memory.getLong(200)).isEqualTo(42);
  }

  private static SendRequest inline(SendOpcode opcode, long address, long bytes) {
    SendRequest request = new SendRequest();
    request.opcode = opcode;
    request.inline = true;
    request.buffers.add(address, bytes, 0);
    return request;
  }

  /** A window's key opens memory to the peer, and to nobody at this end. */
  @Test
  void aWindowIsNoLocalKey() {
    int key = bind(0, 100, READ_WRITE);
    queuePair.post(request -> request.buffers.add(queuePair.region.address(), 10, key));
    assertThat(queuePair.transmit(0)).isNull();
    assertThat(queuePair.poll().status).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
  }

  private int bind(long offset, long bytes, Set<AccessFlag> access) {
    int key = queuePair.table.currentKey(window.key());
    int next = MemoryWindow.nextKey(key);
    postBinding(5, key, next, queuePair.region, offset, bytes, access);
    assertThat(queuePair.transmit(0)).isNull();
    Completion done = queuePair.poll();
    assertThat(done.status).isEqualTo(CompletionStatus.SUCCESS);
    return next;
  }

  private void postBinding(
      long id, int windowKey, int newKey, Region region, long offset, long bytes, Set<AccessFlag> access) {
    queuePair.post(
        request -> {
          request.workRequestId = id;
          request.opcode = SendOpcode.BIND_MEMORY_WINDOW;
          request.binding.windowKey = windowKey;
          request.binding.newKey = newKey;
          request.binding.regionKey = region.key();
          request.binding.address = region.address() + offset;
          request.binding.lengthBytes = bytes;
          request.binding.access.addAll(access);
        });
  }

  /** On a fresh queue pair at the same endpoint, since each failure ends one. */
  private void assertNotBound(
      int windowKey, int newKey, Region region, long offset, long bytes, Set<AccessFlag> access) {
    OneQueuePair first = queuePair;
    queuePair = new OneQueuePair(first, new ReceiveQueue(1));
    queuePair.connect(0x63, PSN, 0, PathMtu.MTU_1024, 14, 7, 7);
    int before = first.table.currentKey(windowKey);
    postBinding(1, windowKey, newKey, region, offset, bytes, access);
    assertThat(queuePair.transmit(0)).isNull();
    assertThat(queuePair.poll().status).isEqualTo(CompletionStatus.MEMORY_WINDOW_BIND_ERROR);
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.ERROR);
    assertThat(first.table.currentKey(windowKey)).isEqualTo(before);
    queuePair = first;
  }

  private Region add(int domain, int access) {
    return queuePair.table.add(domain, Memory.addressOf(queuePair.memory), queuePair.memory.capacity(), access);
  }

  private void write(long address, int key, int bytes) {
    queuePair.receive(
        packet(
            REMOTE,
            LOCAL,
            Opcode.RC_WRITE_ONLY,
            NUMBER,
            psn++,
            w -> w.ackRequested(true).reth(address, key, bytes),
            new byte[bytes]),
        0);
  }

  private void sendWithInvalidate(int key) {
    queuePair.receive(
        packet(
            REMOTE,
            LOCAL,
            Opcode.RC_SEND_ONLY_INVALIDATE,
            NUMBER,
            psn++,
            w -> w.ackRequested(true).invalidate(key),
            new byte[8]),
        0);
  }

  private void acknowledge(int upTo) {
    queuePair.receive(
        packet(REMOTE, LOCAL, Opcode.RC_ACKNOWLEDGE, NUMBER, upTo, w -> w.aeth(Aeth.ACK, 0), new byte[0]), 0);
  }

  private void assertRefused(int syndrome) {
    assertThat(queuePair.transmit(0).aethSyndrome()).isEqualTo(syndrome);
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.ERROR);
  }
}
