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
import io.burst.engine.qp.WorkQueue;
import io.burst.engine.wire.Flow;
import io.burst.linux.Memory;
import io.burst.spi.Frame;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionOpcode;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.Gid;
import io.burst.verbs.PathMtu;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * One end of a simulated run: an endpoint with one queue pair, and the application on it, which posts sends and
 * receives at random moments and checks every completion against the model.
 */
final class Peer {
  private static final int DOMAIN = 1;
  private static final int BATCH = 16;
  private static final byte POISON = (byte) 0xA5;

  final FaultPort port;
  final Counters counters = new Counters();
  final ReliableConnection connection;

  private final SplittableRandom random;
  private final Traffic outgoing;
  private final Traffic incoming;
  private final Endpoint endpoint;
  private final WorkQueue sends;
  private final WorkQueue receives;
  private final CompletionRing completions;
  private final Completion completion = new Completion();
  private final Frame[] received;
  private final Frame[] sent;
  private final ByteBuffer memory;
  private final Region region;
  private final int receiveStart;
  private final long longestPauseNs;

  private int sendsPosted;
  private int sendBytesPosted;
  private int sendsCompleted;
  private int receivesPosted;
  private int receiveBytesPosted;
  private int receivesCompleted;
  private int receiveBytesCompleted;
  private long nextPostNs;

  Peer(SplittableRandom random, FaultPort port, Traffic outgoing, Traffic incoming, long longestPauseNs) {
    this.random = random;
    this.port = port;
    this.outgoing = outgoing;
    this.incoming = incoming;
    this.longestPauseNs = longestPauseNs;
    receiveStart = outgoing.totalBytes();
    memory = ByteBuffer.allocateDirect(receiveStart + incoming.totalRoomBytes());
    fillMemory();
    MemoryTable table = new MemoryTable();
    region = table.add(DOMAIN, Memory.addressOf(memory), memory.capacity(), true);
    endpoint = new Endpoint(table, counters, random.nextInt(), (connection, defect) -> { throw defect; });
    received = Frames.allocate(BATCH, port.mtuBytes());
    sent = Frames.allocate(BATCH, port.mtuBytes());
    sends = new WorkQueue(1 + random.nextInt(8));
    receives = new WorkQueue(1 + random.nextInt(8));
    completions = new CompletionRing(64);
    connection = endpoint.create(DOMAIN, sends, receives, completions, completions);
    connection.initialize();
  }

  void connect(Peer peer, Connecting terms) throws IOException {
    InetAddress local = port.addresses().get(0);
    InetAddress remote = peer.port.addresses().get(0);
    Flow flow = new Flow(local, remote, Flow.sourcePort(connection.number(), peer.connection.number()), 0);
    Path path = new Path(flow, port.resolve(local, remote), Gid.of(local), Gid.of(remote));
    connection.readyToReceive(
        new ReadyToReceive(peer.connection.number(), terms.receivePsn(), terms.mtu(), null, terms.rnrTimer()), path);
    connection.readyToSend(new ReadyToSend(terms.sendPsn(), terms.timeout(), 7, 7));
  }

  /** What both ends agree on, seen from one. */
  record Connecting(int sendPsn, int receivePsn, PathMtu mtu, int timeout, int rnrTimer) {}

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

  boolean isDone() {
    return sendsCompleted == outgoing.count() && receivesCompleted == incoming.count();
  }

  private boolean hasToPost() {
    return sendsPosted < outgoing.count() || receivesPosted < incoming.count();
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
    if (sendsPosted < outgoing.count()) {
      int bytes = outgoing.message(sendsPosted).length;
      if (sends.post(sendsPosted, region.address() + sendBytesPosted, bytes, region.key())) {
        sendBytesPosted += bytes;
        sendsPosted++;
      }
    }
  }

  private void postReceive() {
    if (receivesPosted < incoming.count()) {
      int bytes = incoming.roomBytes(receivesPosted);
      long address = region.address() + receiveStart + receiveBytesPosted;
      if (receives.post(receivesPosted, address, bytes, region.key())) {
        receiveBytesPosted += bytes;
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
      if (completion.opcode == CompletionOpcode.SEND) {
        assertThat(completion.workRequestId).isEqualTo(sendsCompleted);
        sendsCompleted++;
      } else {
        checkReceive();
      }
    }
    return any;
  }

  private void checkReceive() {
    assertThat(completion.workRequestId).isEqualTo(receivesCompleted);
    byte[] message = incoming.message(receivesCompleted);
    assertThat(completion.lengthBytes).isEqualTo(message.length);
    byte[] expected = Arrays.copyOf(message, incoming.roomBytes(receivesCompleted));
    Arrays.fill(expected, message.length, expected.length, POISON);
    byte[] actual = new byte[expected.length];
    memory.get(receiveStart + receiveBytesCompleted, actual);
    assertThat(actual).isEqualTo(expected);
    receiveBytesCompleted += actual.length;
    receivesCompleted++;
  }

  private void fillMemory() {
    for (int i = 0; i < outgoing.count(); i++) {
      memory.put(outgoing.message(i));
    }
    while (memory.hasRemaining()) {
      memory.put(POISON);
    }
  }
}
