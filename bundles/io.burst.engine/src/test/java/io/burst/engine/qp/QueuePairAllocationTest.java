package io.burst.engine.qp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.burst.engine.port.Frames;
import io.burst.spi.Frame;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.MemoryWindow;
import io.burst.verbs.PathMtu;
import io.burst.verbs.ScatterGatherList;
import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Two queue pairs that ask each other for every operation, post, poll and find nothing to do, without any garbage. */
class QueuePairAllocationTest {
  private static final int WARM_UP_ROUNDS = 5_000;
  private static final int BATCHES = 10;
  private static final int BATCH_ROUNDS = 2_000;
  private static final int MESSAGE_BYTES = 3000;
  private static final SendOpcode[] OPCODES =
      Arrays.stream(SendOpcode.values())
          .filter(opcode -> !opcode.isLocal() && opcode != SendOpcode.SEND_WITH_INVALIDATE)
          .toArray(SendOpcode[]::new);

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final OneQueuePair left = made(2, "192.0.2.1", "192.0.2.2");
  private final OneQueuePair right = made(3, "192.0.2.2", "192.0.2.1");
  private final Frame[] frames = Frames.allocate(64, 4200);
  private final SendRequest request = new SendRequest();
  private final ScatterGatherList list = new ScatterGatherList();
  private final Completion completion = new Completion();
  private long completed;

  @Test
  void noneAfterWarmUp() {
    left.connect(3, 10, 20, PathMtu.MTU_1024, 14, 7, 7);
    right.connect(2, 20, 10, PathMtu.MTU_1024, 14, 7, 7);
    allocated(WARM_UP_ROUNDS);
    completed = 0;
    // What the compiler leaves behind when it replaces code falls into one batch or other; garbage of ours into all.
    long[] batches = LongStream.range(0, BATCHES).map(batch -> allocated(BATCH_ROUNDS)).sorted().toArray();
    assertThat(batches[BATCHES / 2]).as("bytes a batch, sorted: %s", Arrays.toString(batches)).isZero();
    // Each round all requests of both, and the receives that three of them take.
    assertThat(completed).isEqualTo(2L * BATCHES * BATCH_ROUNDS * (OPCODES.length + 3));
  }

  /** Binding makes garbage, at the end that asks for it; the packet that takes the window away doesn't. */
  @Test
  void noneForAnInvalidatingSend() {
    left.connect(3, 10, 20, PathMtu.MTU_1024, 14, 7, 7);
    right.connect(2, 20, 10, PathMtu.MTU_1024, 14, 7, 7);
    int key = right.table.addWindow(OneQueuePair.DOMAIN).key();
    long[] batches = new long[BATCHES];
    for (int batch = -BATCHES; batch < BATCHES; batch++) {
      long bytes = 0;
      for (int round = 0; round < BATCH_ROUNDS / 4; round++) {
        key = bind(key);
        bytes += allocatedByInvalidating(key);
      }
      batches[Math.max(0, batch)] = bytes;
    }
    Arrays.sort(batches);
    assertThat(batches[BATCHES / 2]).as("bytes a batch, sorted: %s", Arrays.toString(batches)).isZero();
  }

  private int bind(int key) {
    request.opcode = SendOpcode.BIND_MEMORY_WINDOW;
    request.binding.windowKey = key;
    request.binding.newKey = MemoryWindow.nextKey(key);
    request.binding.regionKey = right.region.key();
    request.binding.address = right.region.address();
    request.binding.lengthBytes = 10;
    right.sends.post(request);
    exchange(right, left, 0);
    poll(right);
    return request.binding.newKey;
  }

  private long allocatedByInvalidating(int key) {
    long before = threads.getCurrentThreadAllocatedBytes();
    right.receives.post(1, list.clear().add(right.region.address(), 8, right.region.key()));
    request.opcode = SendOpcode.SEND_WITH_INVALIDATE;
    request.invalidateKey = key;
    request.buffers.clear().add(left.region.address(), 8, left.region.key());
    left.sends.post(request);
    while (exchange(left, right, 0) + exchange(right, left, 0) > 0) {
      left.endpoint.onTimeout(0);
    }
    poll(left);
    poll(right);
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  private static OneQueuePair made(int number, String local, String remote) {
    return new OneQueuePair(number, local, remote, EnumSet.allOf(AccessFlag.class));
  }

  private long allocated(int rounds) {
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int round = 0; round < rounds; round++) {
      post(left, right);
      post(right, left);
      while (exchange(left, right, round) + exchange(right, left, round) > 0) {
        left.endpoint.onTimeout(round);
        right.endpoint.onTimeout(round);
      }
      poll(left);
      poll(right);
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  private void post(OneQueuePair from, OneQueuePair to) {
    for (int i = 0; i < 3; i++) {
      list.clear().add(to.region.address() + 100_000, 1000, to.region.key());
      to.receives.post(i, list.add(to.region.address() + 200_000, MESSAGE_BYTES - 1000, to.region.key()));
    }
    for (SendOpcode opcode : OPCODES) {
      boolean word = opcode.isAtomic() || opcode == SendOpcode.ATOMIC_WRITE;
      request.opcode = opcode;
      request.remoteAddress = to.region.address() + 500_000;
      request.remoteKey = to.region.key();
      request.buffers.clear().add(from.region.address(), word ? Long.BYTES : MESSAGE_BYTES, from.region.key());
      from.sends.post(request);
    }
  }

  private int exchange(OneQueuePair from, OneQueuePair to, long nowNs) {
    int count = from.endpoint.pollTransmit(frames, nowNs);
    for (int i = 0; i < count; i++) {
      to.endpoint.onFrame(frames[i], nowNs);
    }
    return count;
  }

  private void poll(OneQueuePair queuePair) {
    while (queuePair.completions.poll(completion)) {
      if (completion.status != CompletionStatus.SUCCESS) {
        throw new AssertionError(completion.status);
      }
      completed++;
    }
  }
}
