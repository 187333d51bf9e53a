package io.burst.engine.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.port.FaultPort;
import io.burst.engine.port.Frames;
import io.burst.engine.qp.CompletionRing;
import io.burst.engine.qp.Counters;
import io.burst.engine.qp.Endpoint;
import io.burst.engine.qp.MemoryTable;
import io.burst.engine.qp.Path;
import io.burst.engine.qp.Region;
import io.burst.engine.qp.ReliableConnection;
import io.burst.engine.qp.SendQueue;
import io.burst.engine.qp.WorkQueue;
import io.burst.engine.wire.Flow;
import io.burst.linux.Memory;
import io.burst.spi.Frame;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionOpcode;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.Gid;
import io.burst.verbs.PathMtu;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.ScatterGatherList;
import io.burst.verbs.SendRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One end of a simulated run: an endpoint with one queue pair, and the application on it, which posts its script's requests
 * and the other script's receives at random moments, and checks every completion and in the end every byte.
 */
final class Peer {
  private static final int DOMAIN = 1;
  private static final int BATCH = 16;
  private static final byte POISON = (byte) 0xA5;

  final FaultPort port;
  final Counters counters = new Counters();
  final ReliableConnection connection;

  private final SplittableRandom random;
  private final List<Script.Request> requests;
  private final List<Script.Receive> expected;
  private final List<Pieces> requestPieces = new ArrayList<>();
  private final List<Pieces> receivePieces = new ArrayList<>();
  private final Endpoint endpoint;
  private final SendQueue sends;
  private final WorkQueue receives;
  private final CompletionRing completions;
  private final Completion completion = new Completion();
  private final SendRequest request = new SendRequest();
  private final ScatterGatherList list = new ScatterGatherList();
  private final Frame[] received;
  private final Frame[] sent;
  /** The application's own buffers, and what it must hold in the end as far as completions have told. */
  private final ByteBuffer memory;
  private final ByteBuffer model;
  private final Region region;
  /** What the other end reads and writes. */
  private final ByteBuffer target;
  private final byte[] targetAfter;
  private final Region targetRegion;
  private final long longestPauseNs;

  private Region remote;
  private int sendsPosted;
  private int sendsCompleted;
  private int receivesPosted;
  private int receivesCompleted;
  private long nextPostNs;

  Peer(SplittableRandom random, FaultPort port, Script outgoing, Script incoming, long longestPauseNs) {
    this.random = random;
    this.port = port;
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
    MemoryTable table = new MemoryTable();
    int local = Region.mask(EnumSet.of(AccessFlag.LOCAL_WRITE));
    region = table.add(DOMAIN, Memory.addressOf(memory), memory.capacity(), local);
    int all = Region.mask(EnumSet.allOf(AccessFlag.class));
    targetRegion = table.add(DOMAIN, Memory.addressOf(target), targetAfter.length, all);
    endpoint = new Endpoint(table, counters, random.nextInt(), (connection, defect) -> { throw defect; });
    received = Frames.allocate(BATCH, port.mtuBytes());
    sent = Frames.allocate(BATCH, port.mtuBytes());
    sends = new SendQueue(1 + random.nextInt(8));
    receives = new WorkQueue(1 + random.nextInt(8));
    completions = new CompletionRing(64);
    connection = endpoint.create(DOMAIN, sends, receives, completions, completions);
    connection.initialize(EnumSet.allOf(AccessFlag.class));
  }

  void connect(Peer peer, Connecting terms) throws IOException {
    InetAddress local = port.addresses().get(0);
    InetAddress remoteAddress = peer.port.addresses().get(0);
    Flow flow = new Flow(local, remoteAddress, Flow.sourcePort(connection.number(), peer.connection.number()), 0);
    Path path = new Path(flow, port.resolve(local, remoteAddress), Gid.of(local), Gid.of(remoteAddress));
    int depth = terms.readAtomic();
    connection.readyToReceive(
        new ReadyToReceive(peer.connection.number(), terms.receivePsn(), terms.mtu(), null, depth, terms.rnrTimer()),
        path);
    connection.readyToSend(new ReadyToSend(terms.sendPsn(), terms.timeout(), 7, 7, depth));
    remote = peer.targetRegion;
  }

  /** What both ends agree on, seen from one. */
  record Connecting(int sendPsn, int receivePsn, PathMtu mtu, int timeout, int rnrTimer, int readAtomic) {}

  /** Everything that this end does at one moment. */
  void run(long nowNs) {
    boolean busy;
    do {
      post(nowNs);
      int arrived = port.receive(received, BATCH, nowNs);
      for (int i = 0; i < arrived; i++) {
        endpoint.onFrame(received[i], nowNs);
      }
      endpoint.onTimeout(nowNs);
      int departing = endpoint.pollTransmit(sent, nowNs);
      port.send(sent, departing, nowNs);
      busy = arrived + departing > 0 | checkCompletions();
    } while (busy);
  }

  long nextEventNs() {
    long postNs = hasToPost() ? nextPostNs : Long.MAX_VALUE;
    return Math.min(postNs, Math.min(port.nextDeadlineNs(), endpoint.nextDeadlineNs()));
  }

  /** Faults that its port has injected. */
  long faults() {
    long[] sum = new long[1];
    port.counters((name, value) -> sum[0] += name.startsWith("fault_") ? value : 0);
    return sum[0];
  }

  /** Unsignaled requests at the end complete in silence. */
  boolean isDone() {
    return !hasToPost() && connection.outstandingSends() == 0 && receivesCompleted == expected.size();
  }

  /** Silent requests have finished too, nothing else was touched, and what the other end asked for has been done. */
  void checkEnd() {
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
    return sendsPosted < requests.size() || receivesPosted < expected.size();
  }

  private void post(long nowNs) {
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
    request.remoteAddress = remote.address() + next.targetOffset();
    request.remoteKey = remote.key();
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

  private boolean checkCompletions() {
    boolean any = false;
    while (completions.poll(completion)) {
      any = true;
      assertThat(completion.status).isEqualTo(CompletionStatus.SUCCESS);
      assertThat(completion.queuePairNumber).isEqualTo(connection.number());
      if (completion.opcode.compareTo(CompletionOpcode.RECEIVE) >= 0) {
        checkReceive();
      } else {
        checkSend();
      }
    }
    return any;
  }

  private void checkSend() {
    while (!requests.get(sendsCompleted).signaled()) {
      finish(sendsCompleted++);
    }
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

  private void checkReceive() {
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
