package io.burst.engine.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.qp.Connection;
import io.burst.engine.qp.EventSink;
import io.burst.engine.qp.Path;
import io.burst.engine.qp.Queues;
import io.burst.engine.qp.ReceiveQueue;
import io.burst.engine.qp.Region;
import io.burst.engine.qp.SendQueue;
import io.burst.engine.wire.Transport;
import io.burst.linux.Memory;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionOpcode;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.PathMtu;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.ScatterGatherList;
import io.burst.verbs.SendRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;

/**
 * An application on one queue pair: it posts its script's requests and the other script's receives at random moments,
 * and checks every completion and in the end every byte.
 */
final class Application {
  private static final int DOMAIN = 1;
  private static final byte POISON = (byte) 0xA5;

  final Connection connection;

  private final SplittableRandom random;
  private final List<Script.Request> requests;
  private final List<Script.Receive> expected;
  private final List<Pieces> requestPieces = new ArrayList<>();
  private final List<Pieces> receivePieces = new ArrayList<>();
  private final SendQueue sends;
  private final ReceiveQueue receives;
  private final SendRequest request = new SendRequest();
  private final ScatterGatherList list = new ScatterGatherList();
  /** The application's own buffers, and what it must hold in the end as far as completions have told. */
  private final ByteBuffer memory;
  private final ByteBuffer model;
  private final Region region;
  /** What the other end reads and writes. */
  private final ByteBuffer target;
  private final byte[] targetAfter;
  private final Region targetRegion;
  private final long longestPauseNs;

  private Application other;
  /** Its queue pair gave up: so many packets in a row were lost that the retries were used up. */
  private boolean broken;

  private int sendsPosted;
  private int sendsCompleted;
  private int receivesPosted;
  private int receivesCompleted;
  private long nextPostNs;

  Application(SplittableRandom random, Peer peer, Script outgoing, Script incoming, long longestPauseNs) {
    this.random = random;
    this.longestPauseNs = longestPauseNs;
    requests = outgoing.requests();
    expected = incoming.receives();
    Pieces.Arena arena = new Pieces.Arena();
    requests.forEach(one -> requestPieces.add(Pieces.of(random, arena, one.lengthBytes())));
    expected.forEach(one -> receivePieces.add(Pieces.of(random, arena, one.roomBytes())));
    memory = poisoned(arena.usedBytes());
    for (int i = 0; i < requests.size(); i++) {
      if (requests.get(i).payload() != null) {
        requestPieces.get(i).put(memory, requests.get(i).payload());
      }
    }
    model = ByteBuffer.allocate(memory.capacity()).put(0, memory, 0, memory.capacity());
    targetAfter = incoming.targetAfter();
    target = ByteBuffer.allocateDirect(targetAfter.length + Long.BYTES).alignedSlice(Long.BYTES);
    target.put(0, incoming.targetBefore());
    int local = Region.mask(EnumSet.of(AccessFlag.LOCAL_WRITE));
    region = peer.table.add(DOMAIN, Memory.addressOf(memory), memory.capacity(), local);
    int all = Region.mask(EnumSet.allOf(AccessFlag.class));
    targetRegion = peer.table.add(DOMAIN, Memory.addressOf(target), targetAfter.length, all);
    sends = new SendQueue(1 + random.nextInt(8));
    receives = new ReceiveQueue(1 + random.nextInt(8));
    Queues queues = new Queues(sends, receives, peer.completions, peer.completions);
    connection = peer.endpoint.createConnection(Transport.RC, DOMAIN, queues, EventSink.NONE);
    connection.initialize(EnumSet.allOf(AccessFlag.class));
  }

  void connect(Application other, Path path, Connecting terms) {
    int depth = terms.readAtomic();
    connection.readyToReceive(
        new ReadyToReceive(other.connection.number(), terms.receivePsn(), terms.mtu(), null, depth, terms.rnrTimer()),
        path);
    connection.readyToSend(new ReadyToSend(terms.sendPsn(), terms.timeout(), 7, 7, depth));
    this.other = other;
  }

  /** What both ends agree on, seen from one. */
  record Connecting(int sendPsn, int receivePsn, PathMtu mtu, int timeout, int rnrTimer, int readAtomic) {}

  long nextPostNs() {
    return hasToPost() ? nextPostNs : Long.MAX_VALUE;
  }

  /** Whether this end or the other gave up, which neither can recover from. */
  boolean isGivenUp() {
    return broken || other.broken;
  }

  /** Unsignaled requests at the end complete in silence. */
  boolean isDone() {
    return isGivenUp() || !hasToPost() && connection.outstandingSends() == 0 && receivesCompleted == expected.size();
  }

  /** Silent requests have finished too, nothing else was touched, and what the other end asked for has been done. */
  void checkEnd() {
    if (isGivenUp()) {
      return;
    }
    while (sendsCompleted < requests.size()) {
      assertThat(requests.get(sendsCompleted).signaled()).as("request %d is silent", sendsCompleted).isFalse();
      finish(sendsCompleted++);
    }
    assertThat(bytes(memory)).isEqualTo(model.array());
    byte[] targetBytes = new byte[targetAfter.length];
    target.get(0, targetBytes);
    assertThat(targetBytes).isEqualTo(targetAfter);
  }

  private boolean hasToPost() {
    return !isGivenUp() && (sendsPosted < requests.size() || receivesPosted < expected.size());
  }

  void post(long nowNs) {
    if (nowNs < nextPostNs || !hasToPost()) {
      return;
    }
    nextPostNs = nowNs + 1 + random.nextLong(longestPauseNs);
    for (int i = random.nextInt(4); i > 0; i--) {
      postSend();
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      postReceive();
    }
  }

  private void postSend() {
    if (sendsPosted == requests.size()) {
      return;
    }
    Script.Request next = requests.get(sendsPosted);
    request.workRequestId = sendsPosted;
    request.opcode = next.opcode();
    request.signaled = next.signaled();
    request.fenced = next.fenced();
    request.immediate = next.immediate();
    request.remoteAddress = other.targetRegion.address() + next.targetOffset();
    request.remoteKey = other.targetRegion.key();
    request.swapOrAdd = next.swapOrAdd();
    request.compare = next.compare();
    requestPieces.get(sendsPosted).list(request.buffers, region.address(), region.key());
    if (sends.post(request)) {
      sendsPosted++;
    }
  }

  private void postReceive() {
    if (receivesPosted < expected.size()) {
      receivePieces.get(receivesPosted).list(list, region.address(), region.key());
      if (receives.post(receivesPosted, list)) {
        receivesPosted++;
      }
    }
  }

  void check(Completion completion) {
    boolean receive = completion.opcode.compareTo(CompletionOpcode.RECEIVE) >= 0;
    if (broken) {
      assertThat(completion.status).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
      assertThat(completion.workRequestId).isEqualTo(receive ? receivesCompleted++ : sendsCompleted++);
    } else if (receive) {
      checkReceive(completion);
    } else {
      checkSend(completion);
    }
  }

  /** A request that fails is told of even if it is silent. */
  private void checkSend(Completion completion) {
    while (!requests.get(sendsCompleted).signaled() && completion.workRequestId != sendsCompleted) {
      finish(sendsCompleted++);
    }
    if (completion.status == CompletionStatus.RETRY_EXCEEDED) {
      assertThat(completion.workRequestId).isEqualTo(sendsCompleted++);
      broken = true;
      return;
    }
    assertThat(completion.status).isEqualTo(CompletionStatus.SUCCESS);
    assertThat(requests.get(sendsCompleted).signaled()).isTrue();
    Script.Request done = requests.get(sendsCompleted);
    assertThat(completion.workRequestId).isEqualTo(sendsCompleted);
    assertThat(completion.opcode).isEqualTo(done.opcode().completion());
    assertThat(completion.lengthBytes).isEqualTo(done.lengthBytes());
    finish(sendsCompleted++);
    assertThat(requestPieces.get(sendsCompleted - 1).get(memory))
        .isEqualTo(requestPieces.get(sendsCompleted - 1).get(model));
  }

  private void finish(int index) {
    if (requests.get(index).result() != null) {
      requestPieces.get(index).put(model, requests.get(index).result());
    }
  }

  private void checkReceive(Completion completion) {
    assertThat(completion.status).isEqualTo(CompletionStatus.SUCCESS);
    Script.Receive done = expected.get(receivesCompleted);
    Pieces pieces = receivePieces.get(receivesCompleted);
    assertThat(completion.workRequestId).isEqualTo(receivesCompleted);
    assertThat(completion.opcode).isEqualTo(done.opcode());
    assertThat(completion.lengthBytes).isEqualTo(done.lengthBytes());
    assertThat(completion.hasImmediate).isEqualTo(done.hasImmediate());
    if (done.hasImmediate()) {
      assertThat(completion.immediate).isEqualTo(done.immediate());
    }
    if (done.message() != null) {
      pieces.put(model, done.message());
    }
    assertThat(pieces.get(memory)).isEqualTo(pieces.get(model));
    receivesCompleted++;
  }

  private static byte[] bytes(ByteBuffer memory) {
    byte[] bytes = new byte[memory.capacity()];
    memory.get(0, bytes);
    return bytes;
  }

  private static ByteBuffer poisoned(int bytes) {
    ByteBuffer memory = ByteBuffer.allocateDirect(Math.max(1, bytes));
    for (int i = 0; i < bytes; i++) {
      memory.put(i, POISON);
    }
    return memory;
  }
}
