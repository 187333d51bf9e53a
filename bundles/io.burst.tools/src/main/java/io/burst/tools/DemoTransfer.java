package io.burst.tools;

import io.burst.verbs.AccessFlag;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionQueue;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.Device;
import io.burst.verbs.MemoryRegion;
import io.burst.verbs.ProtectionDomain;
import io.burst.verbs.QueuePair;
import io.burst.verbs.QueuePairInit;
import io.burst.verbs.QueuePairType;
import io.burst.verbs.ReceiveRequest;
import io.burst.verbs.SendRequest;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;

/**
 * One end of the demo's connection: sends messages and verifies those of the other end at the same time. Belongs to one
 * thread, except for {@link #stop}.
 *
 * <p>An end sends message m only after it has verified the peer's message m - WINDOW and posted that receive again.
 * With 2 * WINDOW receives posted to begin with, no message finds none, at whatever speeds the ends verify.
 */
final class DemoTransfer {

  static final int MESSAGE_BYTES = 1 << 20;

  private static final int WINDOW = 4;
  private static final int RECEIVES = 2 * WINDOW;
  private static final long SILENCE_LIMIT_NS = 30_000_000_000L;

  /** The two ends: each sends a pattern of its own. */
  enum End {
    A,
    B;

    MessagePattern sent() {
      return new MessagePattern(ordinal());
    }

    MessagePattern received() {
      return new MessagePattern(1 - ordinal());
    }
  }

  /** What this end verified. */
  record Result(long messages, long mismatches, long elapsedNs) {

    boolean isVerified(long expectedMessages) {
      return messages == expectedMessages && mismatches == 0;
    }
  }

  /** What is done over the connection; it is torn down afterwards. */
  interface Body {
    int run(DemoTransfer transfer) throws CommandFailure;
  }

  private final Device device;
  private final MemoryRegion memory;
  private final ByteBuffer bytes;
  private final CompletionQueue completions;
  private final QueuePair queuePair;
  private final MessagePattern sentPattern;
  private final MessagePattern receivedPattern;
  private final DeviceLease.Activity activity;
  private final int firstPsn = new SplittableRandom().nextInt() & 0xff_ffff;
  private final SendRequest sendRequest = new SendRequest();
  private final ReceiveRequest receiveRequest = new ReceiveRequest();
  private final Completion completion = new Completion();
  private long posted;
  private long completed;
  private long received;
  private long mismatches;
  private volatile String stopReason;

  private DemoTransfer(
      Device device,
      MemoryRegion memory,
      ByteBuffer bytes,
      CompletionQueue completions,
      QueuePair queuePair,
      End end,
      DeviceLease.Activity activity) {
    this.device = device;
    this.memory = memory;
    this.bytes = bytes;
    this.completions = completions;
    this.queuePair = queuePair;
    this.activity = activity;
    sentPattern = end.sent();
    receivedPattern = end.received();
  }

  static int with(Device device, End end, DeviceLease.Activity activity, Body body) throws CommandFailure {
    ByteBuffer bytes = ByteBuffer.allocateDirect((RECEIVES + WINDOW) * MESSAGE_BYTES);
    try (ProtectionDomain domain = device.allocateProtectionDomain();
        MemoryRegion memory = domain.registerMemory(bytes, Set.of(AccessFlag.LOCAL_WRITE));
        CompletionQueue completions = device.createCompletionQueue(RECEIVES + WINDOW);
        QueuePair queuePair = domain.createQueuePair(
            new QueuePairInit(QueuePairType.RELIABLE_CONNECTION, completions, completions, WINDOW, RECEIVES))) {
      return body.run(new DemoTransfer(device, memory, bytes, completions, queuePair, end, activity));
    }
  }

  /** Where the other end finds this one. */
  PeerAddress address() {
    return new PeerAddress(0, queuePair.number(), firstPsn, device.gids().get(0));
  }

  void connect(PeerAddress peer) throws CommandFailure {
    queuePair.initialize(Set.of());
    for (int slot = 0; slot < RECEIVES; slot++) {
      postReceive(slot);
    }
    Connector.connect(queuePair, 0, firstPsn, device.activeMtu(), peer);
  }

  /** Makes a run under way on another thread fail. */
  void stop(String reason) {
    stopReason = reason;
  }

  /**
   * Sends so many messages and verifies as many of the other end.
   *
   * @param verified told how many of this run are verified, now and then
   */
  Result run(long messages, LongConsumer verified) throws CommandFailure {
    long receivedBefore = received;
    long mismatchesBefore = mismatches;
    long goal = received + messages;
    Patience patience = new Patience(SILENCE_LIMIT_NS, activity.of(queuePair.number()));
    long startNs = System.nanoTime();
    while (received < goal || completed < goal) {
      if (stopReason != null) {
        throw CommandFailure.notDone(stopReason);
      }
      postSends(goal);
      if (completions.poll(completion)) {
        patience.progressed();
        completed();
        verified.accept(received - receivedBefore);
      } else {
        patience.idle();
      }
    }
    return new Result(received - receivedBefore, mismatches - mismatchesBefore, System.nanoTime() - startNs);
  }

  private void postSends(long goal) throws CommandFailure {
    while (posted < goal && posted - completed < WINDOW && posted - received < WINDOW) {
      int slot = (int) (posted % WINDOW);
      int start = (RECEIVES + slot) * MESSAGE_BYTES;
      sentPattern.fill(bytes, start, MESSAGE_BYTES, posted);
      sendRequest.workRequestId = RECEIVES + slot;
      sendRequest.buffers.clear().add(memory.address() + start, MESSAGE_BYTES, memory.localKey());
      if (!queuePair.postSend(sendRequest)) {
        throw CommandFailure.notDone("the send queue is full after " + posted + " messages");
      }
      posted++;
    }
  }

  private void postReceive(int slot) throws CommandFailure {
    int start = slot * MESSAGE_BYTES;
    MessagePattern.poison(bytes, start, MESSAGE_BYTES);
    receiveRequest.workRequestId = slot;
    receiveRequest.buffers.clear().add(memory.address() + start, MESSAGE_BYTES, memory.localKey());
    if (!queuePair.postReceive(receiveRequest)) {
      throw CommandFailure.notDone("the receive queue is full after " + received + " messages");
    }
  }

  private void completed() throws CommandFailure {
    if (completion.status != CompletionStatus.SUCCESS) {
      throw CommandFailure.notDone("Failed status " + completion.status + " (" + completion.status.ordinal()
          + ") after " + received + " messages received and " + completed + " sent");
    }
    if (completion.workRequestId >= RECEIVES) {
      completed++;
      return;
    }
    int slot = (int) completion.workRequestId;
    if (completion.lengthBytes != MESSAGE_BYTES
        || receivedPattern.mismatch(bytes, slot * MESSAGE_BYTES, MESSAGE_BYTES, received) >= 0) {
      mismatches++;
    }
    postReceive(slot);
    received++;
  }
}
