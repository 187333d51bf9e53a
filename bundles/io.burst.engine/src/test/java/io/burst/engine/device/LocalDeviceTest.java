package io.burst.engine.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burst.engine.port.Ports;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.AddressVector;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionQueue;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.MemoryRegion;
import io.burst.verbs.PathMtu;
import io.burst.verbs.ProtectionDomain;
import io.burst.verbs.QueuePair;
import io.burst.verbs.QueuePairInit;
import io.burst.verbs.QueuePairType;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.ReceiveRequest;
import io.burst.verbs.SendRequest;
import io.burst.verbs.VerbsException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The verbs with a worker and a socket behind them: what they refuse, and what is left when the device goes. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocalDeviceTest {
  private static final EnumSet<AccessFlag> NONE = EnumSet.noneOf(AccessFlag.class);

  private LocalDevice device;
  private ProtectionDomain domain;
  private CompletionQueue completions;
  private final ByteBuffer memory = ByteBuffer.allocateDirect(4096);
  private MemoryRegion region;
  private QueuePair queuePair;

  @BeforeEach
  void open() throws Exception {
    device = LocalDevice.open("test", Ports.open("udp", null, InetAddress.getByName("127.0.0.91"), null));
    domain = device.allocateProtectionDomain();
    completions = device.createCompletionQueue(4);
    region = domain.registerMemory(memory, EnumSet.of(AccessFlag.LOCAL_WRITE));
    queuePair = domain.createQueuePair(new QueuePairInit(QueuePairType.RELIABLE_CONNECTION, completions, completions, 2, 2));
  }

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void aQueuePairTalksToItself() {
    connectToItself();
    memory.putLong(0, 0x0123456789abcdefL);
    assertThat(queuePair.postReceive(receive(1, 100, 50))).isTrue();
    assertThat(queuePair.postSend(send(2, 0, 8))).isTrue();
    Completion first = await();
    Completion second = await();
    assertThat(first.workRequestId + second.workRequestId).isEqualTo(3);
    assertThat(first.status).isEqualTo(CompletionStatus.SUCCESS);
    assertThat(second.status).isEqualTo(CompletionStatus.SUCCESS);
    assertThat(memory.getLong(100)).isEqualTo(0x0123456789abcdefL);
    assertThat(memory.getLong(108)).isZero();
  }

  @Test
  void aFullQueueTakesNoMore() {
    queuePair.initialize(NONE);
    assertThat(queuePair.postReceive(receive(1, 0, 8))).isTrue();
    assertThat(queuePair.postReceive(receive(2, 0, 8))).isTrue();
    assertThat(queuePair.postReceive(receive(3, 0, 8))).isFalse();
  }

  @Test
  void postsNeedTheirStates() {
    assertRefused(() -> queuePair.postReceive(receive(1, 0, 8)), "EINVAL");
    assertRefused(() -> queuePair.postSend(send(1, 0, 8)), "EINVAL");
    assertRefused(() -> queuePair.readyToSend(new ReadyToSend(0, 14, 7, 7, 1)), "EINVAL");
    connectToItself();
    assertRefused(() -> queuePair.initialize(NONE), "EINVAL");
    assertRefused(() -> queuePair.postSend(send(1, 0, (1L << 31) + 1)), "EINVAL");
  }

  @Test
  void attributesNeedTheirRanges() {
    queuePair.initialize(NONE);
    assertRefused(() -> queuePair.readyToReceive(ready(1 << 24, PathMtu.MTU_1024, 0, 12)), "EINVAL");
    assertRefused(() -> queuePair.readyToReceive(ready(5, PathMtu.MTU_1024, 1, 12)), "EINVAL");
    assertRefused(() -> queuePair.readyToReceive(ready(5, PathMtu.MTU_1024, 0, 32)), "EINVAL");
    queuePair.readyToReceive(ready(5, PathMtu.MTU_1024, 0, 12));
    assertRefused(() -> queuePair.readyToSend(new ReadyToSend(0, 32, 7, 7, 1)), "EINVAL");
    assertRefused(() -> queuePair.readyToSend(new ReadyToSend(0, 14, 8, 7, 1)), "EINVAL");
    assertThat(queuePair.state()).isEqualTo(QueuePairState.READY_TO_RECEIVE);
  }

  @Test
  void failingFlushesAndLaterPostsFlushToo() {
    connectToItself();
    queuePair.postReceive(receive(1, 0, 8));
    queuePair.fail();
    assertFlushed(1);
    queuePair.postSend(send(2, 0, 8));
    assertFlushed(2);
    queuePair.postReceive(receive(3, 0, 8));
    assertFlushed(3);
  }

  @Test
  void anOverrunIsToldAndEndsTheQueuePair() {
    CompletionQueue small = device.createCompletionQueue(1);
    QueuePair other = domain.createQueuePair(new QueuePairInit(QueuePairType.RELIABLE_CONNECTION, small, small, 8, 8));
    other.initialize(NONE);
    for (int i = 0; i <= small.capacity(); i++) {
      other.postReceive(receive(i, 0, 8));
    }
    other.fail();
    Completion completion = new Completion();
    for (int i = 0; i < small.capacity(); i++) {
      assertThat(small.poll(completion)).isTrue();
    }
    assertRefused(() -> small.poll(completion), "EOVERFLOW");
    assertThat(other.state()).isEqualTo(QueuePairState.ERROR);
  }

  @Test
  void anotherDevicesCompletionQueueIsRefused() throws Exception {
    try (LocalDevice other =
        LocalDevice.open("other", Ports.open("udp", null, InetAddress.getByName("127.0.0.92"), null))) {
      QueuePairInit init =
          new QueuePairInit(QueuePairType.RELIABLE_CONNECTION, completions, other.createCompletionQueue(4), 2, 2);
      assertThatThrownBy(() -> domain.createQueuePair(init)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, (1 << 22) + 1, Integer.MAX_VALUE})
  void aCapacityNeedsItsRange(int capacity) {
    assertRefused(() -> device.createCompletionQueue(capacity), "EINVAL");
  }

  @Test
  void whatIsInUseStays() {
    assertRefused(domain::close, "EBUSY");
    assertRefused(completions::close, "EBUSY");
    queuePair.close();
    queuePair.close();
    completions.close();
    assertRefused(domain::close, "EBUSY");
    region.close();
    domain.close();
  }

  @Test
  void aDeviceThatIsGoneRefusesWorkAndTakesBackTheRest() {
    device.close();
    assertRefused(() -> queuePair.initialize(NONE), "ENODEV");
    queuePair.close();
    region.close();
    domain.close();
  }

  /** Memory may go, and what counts uses is right, once a close has returned, whatever the thread is told meanwhile. */
  @Test
  void anInterruptedThreadTakesEverythingBack() {
    Thread.currentThread().interrupt();
    queuePair.close();
    region.close();
    assertThat(Thread.interrupted()).isTrue();
    completions.close();
    domain.close();
  }

  private void connectToItself() {
    queuePair.initialize(NONE);
    queuePair.readyToReceive(ready(queuePair.number(), PathMtu.MTU_1024, 0, 12));
    queuePair.readyToSend(new ReadyToSend(0, 14, 7, 7, 1));
  }

  private ReadyToReceive ready(int number, PathMtu mtu, int gidIndex, int rnrTimer) {
    return new ReadyToReceive(number, 0, mtu, new AddressVector(device.gids().get(0), gidIndex, 0), 1, rnrTimer);
  }

  private SendRequest send(long id, int offset, long lengthBytes) {
    SendRequest request = new SendRequest();
    request.workRequestId = id;
    request.buffers.add(region.address() + offset, lengthBytes, region.localKey());
    return request;
  }

  private ReceiveRequest receive(long id, int offset, long lengthBytes) {
    ReceiveRequest request = new ReceiveRequest();
    request.workRequestId = id;
    request.buffers.add(region.address() + offset, lengthBytes, region.localKey());
    return request;
  }

  private Completion await() {
    Completion completion = new Completion();
    while (!completions.poll(completion)) {
      Thread.onSpinWait();
    }
    return completion;
  }

  private void assertFlushed(long id) {
    Completion completion = await();
    assertThat(completion.workRequestId).isEqualTo(id);
    assertThat(completion.status).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  private static void assertRefused(Runnable verb, String errno) {
    assertThatThrownBy(verb::run).isInstanceOf(VerbsException.class).hasMessageStartingWith(errno + ": ");
  }
}
