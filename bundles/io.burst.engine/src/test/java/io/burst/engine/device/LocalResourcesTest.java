package io.burst.engine.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burst.engine.port.Ports;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.AddressHandle;
import io.burst.verbs.AddressVector;
import io.burst.verbs.AsyncEvent;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionOpcode;
import io.burst.verbs.CompletionQueue;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.MemoryRegion;
import io.burst.verbs.MemoryWindow;
import io.burst.verbs.PathMtu;
import io.burst.verbs.ProtectionDomain;
import io.burst.verbs.QueuePair;
import io.burst.verbs.QueuePairInit;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.QueuePairType;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.ReceiveRequest;
import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;
import io.burst.verbs.SharedReceiveQueue;
import io.burst.verbs.VerbsException;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every verb beyond the plain connection, with a worker and a socket behind it, from a device to itself. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocalResourcesTest {
  private static final Set<AccessFlag> ALL = EnumSet.complementOf(EnumSet.of(AccessFlag.ZERO_BASED));
  private static final int QUEUE_KEY = 0x01234567;

  private final ByteBuffer memory = ByteBuffer.allocateDirect(8192);
  private final Semaphore notified = new Semaphore(0);
  private LocalDevice device;
  private ProtectionDomain domain;
  private CompletionQueue completions;
  private MemoryRegion region;

  @BeforeEach
  void open() throws Exception {
    device = LocalDevice.open("test", Ports.open("udp", null, InetAddress.getByName("127.0.0.93"), null));
    domain = device.allocateProtectionDomain();
    completions = device.createCompletionQueue(64, notified::release);
    region = domain.registerMemory(memory, ALL);
  }

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void aDatagramComesWithItsHeaderAndItsSource() {
    QueuePair from = datagrams();
    QueuePair to = datagrams();
    to.postReceive(receive(1, 1000, 100));
    AddressHandle handle = domain.createAddressHandle(new AddressVector(device.gids().get(0), 0, 0));
    memory.putLong(0, 0x0102030405060708L);
    from.postSend(
        send(
            request -> {
              request.addressHandle = handle;
              request.remoteNumber = to.number();
              request.remoteQueueKey = QUEUE_KEY;
            }));
    Completion received = await(CompletionOpcode.RECEIVE);
    assertThat(received.status).isEqualTo(CompletionStatus.SUCCESS);
    assertThat(received.lengthBytes).isEqualTo(48);
    assertThat(received.hasGlobalRouteHeader).isTrue();
    assertThat(received.sourceQueuePairNumber).isEqualTo(from.number());
    assertThat(memory.getInt(1000 + 36)).as("the IPv4 destination").isEqualTo(0x7F00005D);
    assertThat(memory.getLong(1040)).isEqualTo(0x0102030405060708L);
    assertRefused(domain::close, "EBUSY");
    handle.close();
    handle.close();
  }

  @Test
  void datagramsNeedAHandleAndTheirAttributes() {
    QueuePair queuePair = datagrams();
    assertRefused(() -> queuePair.postSend(send(request -> {})), "EINVAL");
    ProtectionDomain other = device.allocateProtectionDomain();
    AddressHandle foreign = other.createAddressHandle(new AddressVector(device.gids().get(0), 0, 0));
    assertRefused(() -> queuePair.postSend(send(request -> request.addressHandle = foreign)), "EINVAL");
    assertRefused(() -> queuePair.postSend(send(request -> request.opcode = SendOpcode.WRITE)), "EINVAL");
    assertRefused(() -> queuePair.initialize(ALL), "EINVAL");
    assertRefused(() -> queuePair.readyToSend(new ReadyToSend(0, 14, 7, 7, 1)), "EINVAL");
    QueuePair connection = create(QueuePairType.RELIABLE_CONNECTION, null, 0);
    assertRefused(() -> connection.initialize(QUEUE_KEY), "EINVAL");
    assertRefused(connection::readyToReceive, "EINVAL");
  }

  @Test
  void sharedReceivesServeTheirQueuePairsAndTellTheirLimit() {
    SharedReceiveQueue shared = domain.createSharedReceiveQueue(4);
    QueuePair queuePair = connected(create(QueuePairType.RELIABLE_CONNECTION, shared, 0));
    assertRefused(() -> queuePair.postReceive(receive(1, 0, 8)), "EINVAL");
    assertRefused(() -> shared.setLimit(5), "EINVAL");
    for (int id = 1; id <= 4; id++) {
      assertThat(shared.post(receive(id, 1000, 8))).isTrue();
    }
    assertThat(shared.post(receive(5, 1000, 8))).isFalse();
    shared.setLimit(4);
    queuePair.postSend(send(request -> {}));
    assertThat(await(CompletionOpcode.RECEIVE).workRequestId).isEqualTo(1);
    assertEvent(AsyncEventType.SHARED_RECEIVE_QUEUE_LIMIT, shared);
    queuePair.fail();
    assertEvent(AsyncEventType.LAST_RECEIVE_REACHED, queuePair);
    assertRefused(shared::close, "EBUSY");
    queuePair.close();
    shared.close();
  }

  @Test
  void aWindowIsBoundUsedAndTakenAway() {
    QueuePair queuePair = connected(create(QueuePairType.RELIABLE_CONNECTION, null, 0));
    MemoryWindow window = domain.allocateMemoryWindow();
    queuePair.postSend(send(request -> bind(request, window, 2000, 100)));
    assertThat(await(CompletionOpcode.BIND_MEMORY_WINDOW).status).isEqualTo(CompletionStatus.SUCCESS);
    assertRefused(region::close, "EBUSY");
    assertRefused(() -> region.reregister(memory, ALL), "EBUSY");
    memory.putLong(0, 42);
    int key = window.remoteKey();
    queuePair.postSend(
        send(
            request -> {
              request.opcode = SendOpcode.WRITE;
              request.remoteAddress = region.address() + 2000;
              request.remoteKey = key;
            }));
    assertThat(await(CompletionOpcode.WRITE).status).isEqualTo(CompletionStatus.SUCCESS);
    assertThat(memory.getLong(2000)).isEqualTo(42);
    queuePair.postReceive(receive(7, 1000, 8));
    queuePair.postSend(
        send(
            request -> {
              request.opcode = SendOpcode.SEND_WITH_INVALIDATE;
              request.invalidateKey = key;
            }));
    assertThat(await(CompletionOpcode.RECEIVE).invalidatedKey).isEqualTo(key);
    queuePair.postSend(send(request -> bind(request, window, 3000, 100)));
    assertThat(await(CompletionOpcode.BIND_MEMORY_WINDOW).status).isEqualTo(CompletionStatus.SUCCESS);
    window.close();
    window.close();
    region.close();
  }

  /** New keys lead to the new memory; the old ones lead nowhere, and nobody touches the old memory any more. */
  @Test
  void aRegionThatIsRegisteredAnewHasNewKeys() {
    QueuePair queuePair = create(QueuePairType.RELIABLE_CONNECTION, null, 0);
    QueuePair peer = create(QueuePairType.RELIABLE_CONNECTION, null, 0);
    connect(queuePair, peer);
    connect(peer, queuePair);
    int oldKey = region.remoteKey();
    ByteBuffer other = ByteBuffer.allocateDirect(100);
    region.reregister(other, ALL);
    assertThat(region.lengthBytes()).isEqualTo(100);
    other.putLong(0, 99);
    peer.postReceive(receive(1, 50, 8));
    queuePair.postSend(send(request -> {}));
    await(CompletionOpcode.RECEIVE);
    assertThat(other.getLong(50)).isEqualTo(99);
    queuePair.postSend(
        send(
            request -> {
              request.opcode = SendOpcode.WRITE;
              request.remoteAddress = region.address();
              request.remoteKey = oldKey;
            }));
    assertThat(awaitStatus(CompletionStatus.REMOTE_ACCESS_ERROR)).isTrue();
    assertRefused(() -> region.reregister(other, EnumSet.of(AccessFlag.REMOTE_WRITE)), "EINVAL");
  }

  @Test
  void aRegionMovesToAnotherDomain() {
    ProtectionDomain other = device.allocateProtectionDomain();
    long address = region.address();
    region.reregister(other, address, 8192, ALL);
    assertRefused(other::close, "EBUSY");
    QueuePair queuePair = connected(create(QueuePairType.RELIABLE_CONNECTION, null, 0));
    queuePair.postSend(send(request -> {}));
    assertThat(awaitStatus(CompletionStatus.LOCAL_PROTECTION_ERROR)).isTrue();
    region.close();
    other.close();
  }

  @Test
  void inlineHasItsLimit() {
    QueuePair queuePair = connected(create(QueuePairType.RELIABLE_CONNECTION, null, 8));
    queuePair.postReceive(receive(1, 1000, 8));
    memory.putLong(0, 5);
    queuePair.postSend(send(request -> request.inline = true));
    memory.putLong(0, 6);
    await(CompletionOpcode.RECEIVE);
    assertThat(memory.getLong(1000)).isEqualTo(5);
    assertRefused(
        () ->
            queuePair.postSend(
                send(
                    request -> {
                      request.inline = true;
                      request.buffers.add(region.address(), 1, region.localKey());
                    })),
        "EINVAL");
    assertRefused(
        () ->
            queuePair.postSend(
                send(
                    request -> {
                      request.opcode = SendOpcode.READ;
                      request.inline = true;
                    })),
        "EINVAL");
    assertRefused(() -> create(QueuePairType.RELIABLE_CONNECTION, null, 1025), "EINVAL");
  }

  @Test
  void aListenerIsCalledOnceItIsAskedFor() throws InterruptedException {
    QueuePair queuePair = connected(create(QueuePairType.RELIABLE_CONNECTION, null, 0));
    completions.requestNotification(true);
    queuePair.postReceive(receive(1, 1000, 8));
    queuePair.postSend(send(request -> request.solicited = true));
    notified.acquire();
    assertThat(await(CompletionOpcode.RECEIVE).workRequestId).isEqualTo(1);
    assertThat(notified.availablePermits()).isZero();
  }

  /** It would wait for the very thread that it runs on. */
  @Test
  void aListenerThatAsksItsWorkerIsRefused() throws InterruptedException {
    BlockingQueue<String> said = new LinkedBlockingQueue<>();
    AtomicReference<QueuePair> asked = new AtomicReference<>();
    CompletionQueue listening =
        device.createCompletionQueue(
            4,
            () -> {
              try {
                asked.get().fail();
              } catch (VerbsException e) {
                said.add(e.getMessage());
              }
            });
    QueuePair queuePair =
        domain.createQueuePair(
            new QueuePairInit(QueuePairType.RELIABLE_CONNECTION, listening, listening, 2, 2));
    asked.set(queuePair);
    listening.requestNotification(false);
    connected(queuePair);
    queuePair.postReceive(receive(1, 1000, 8));
    queuePair.postSend(send(request -> {}));
    assertThat(said.take()).startsWith("EDEADLK: ");
  }

  /** Its key leads to the memory for as long as it is registered, whether or not anybody keeps the object. */
  @Test
  void memoryStaysUntilItsRegionIsClosed() {
    WeakReference<ByteBuffer> registered = new WeakReference<>(register());
    System.gc();
    assertThat(registered.get()).isNotNull();
  }

  private ByteBuffer register() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(64);
    domain.registerMemory(buffer, ALL);
    return buffer;
  }

  @Test
  void aClosedQueuePairTakesNoWork() {
    QueuePair queuePair = connected(create(QueuePairType.RELIABLE_CONNECTION, null, 0));
    queuePair.close();
    assertRefused(() -> queuePair.postSend(send(request -> {})), "EINVAL");
    assertRefused(() -> queuePair.postReceive(receive(1, 0, 8)), "EINVAL");
  }

  @Test
  void statesHaveTheirOrder() {
    QueuePair queuePair = create(QueuePairType.RELIABLE_CONNECTION, null, 0);
    assertRefused(queuePair::drain, "EINVAL");
    assertRefused(queuePair::resume, "EINVAL");
    connected(queuePair);
    assertRefused(queuePair::resume, "EINVAL");
    queuePair.drain();
    assertThat(queuePair.state()).isEqualTo(QueuePairState.SEND_QUEUE_DRAINED);
    assertEvent(AsyncEventType.SEND_QUEUE_DRAINED, queuePair);
    queuePair.postReceive(receive(1, 1000, 8));
    queuePair.postSend(send(request -> {}));
    queuePair.resume();
    await(CompletionOpcode.RECEIVE);
    queuePair.fail();
    queuePair.reset();
    assertThat(queuePair.state()).isEqualTo(QueuePairState.RESET);
    connected(queuePair);
  }

  /** What is closed has no events any more. */
  @Test
  void eventsGoWithTheirElement() {
    QueuePair queuePair = connected(create(QueuePairType.RELIABLE_CONNECTION, null, 0));
    queuePair.drain();
    QueuePair other = connected(create(QueuePairType.RELIABLE_CONNECTION, null, 0));
    other.drain();
    other.close();
    assertEvent(AsyncEventType.SEND_QUEUE_DRAINED, queuePair);
    assertThat(device.pollEvent()).isNull();
  }

  private void bind(SendRequest request, MemoryWindow window, long offset, long bytes) {
    request.opcode = SendOpcode.BIND_MEMORY_WINDOW;
    request.binding.windowKey = window.remoteKey();
    request.binding.newKey = MemoryWindow.nextKey(window.remoteKey());
    request.binding.regionKey = region.localKey();
    request.binding.address = region.address() + offset;
    request.binding.lengthBytes = bytes;
    request.binding.access.add(AccessFlag.REMOTE_WRITE);
  }

  private QueuePair create(QueuePairType type, SharedReceiveQueue shared, int maxInlineBytes) {
    return domain.createQueuePair(
        new QueuePairInit(type, completions, completions, 8, 8, shared, maxInlineBytes));
  }

  /** To itself. */
  private QueuePair connected(QueuePair queuePair) {
    connect(queuePair, queuePair);
    return queuePair;
  }

  private void connect(QueuePair queuePair, QueuePair peer) {
    queuePair.initialize(ALL);
    AddressVector address = new AddressVector(device.gids().get(0), 0, 0);
    queuePair.readyToReceive(new ReadyToReceive(peer.number(), 0, PathMtu.MTU_1024, address, 1, 12));
    queuePair.readyToSend(new ReadyToSend(0, 14, 7, 7, 1));
  }

  private QueuePair datagrams() {
    QueuePair queuePair = create(QueuePairType.UNRELIABLE_DATAGRAM, null, 0);
    queuePair.initialize(QUEUE_KEY);
    queuePair.readyToReceive();
    queuePair.readyToSend(0);
    return queuePair;
  }

  /** The first eight bytes, if the caller doesn't say otherwise. */
  private SendRequest send(Consumer<SendRequest> more) {
    SendRequest request = new SendRequest();
    request.buffers.add(region.address(), 8, region.localKey());
    more.accept(request);
    return request;
  }

  private ReceiveRequest receive(long id, long offset, long bytes) {
    ReceiveRequest request = new ReceiveRequest();
    request.workRequestId = id;
    request.buffers.add(region.address() + offset, bytes, region.localKey());
    return request;
  }

  /** The next completion of this kind; others are passed over. */
  private Completion await(CompletionOpcode opcode) {
    Completion completion = new Completion();
    do {
      while (!completions.poll(completion)) {
        Thread.onSpinWait();
      }
    } while (completion.opcode != opcode);
    return completion;
  }

  private boolean awaitStatus(CompletionStatus status) {
    Completion completion = new Completion();
    do {
      while (!completions.poll(completion)) {
        Thread.onSpinWait();
      }
    } while (completion.status != status);
    return true;
  }

  private void assertEvent(AsyncEventType type, Object element) {
    AsyncEvent event = device.pollEvent();
    while (event == null) {
      Thread.onSpinWait();
      event = device.pollEvent();
    }
    assertThat(event).isEqualTo(new AsyncEvent(type, element));
  }

  private static void assertRefused(Runnable verb, String errno) {
    assertThatThrownBy(verb::run).isInstanceOf(VerbsException.class).hasMessageStartingWith(errno + ": ");
  }
}
