package io.burst.engine.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.qp.Connection;
import io.burst.engine.qp.Counter;
import io.burst.engine.qp.EventSink;
import io.burst.engine.qp.Queues;
import io.burst.engine.qp.ReceiveQueue;
import io.burst.engine.qp.SendQueue;
import io.burst.engine.wire.Transport;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.PathMtu;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.ScatterGatherList;
import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * How many packets are sent again for a fixed amount of work, by loss, delay and operation: a table that is kept, so
 * that a change of it is a decision and no accident.
 */
class RetransmissionTableTest {
  private static final Path KEPT = Path.of("src/test/resources/io/burst/engine/sim/retransmissions.txt");
  private static final boolean ACCEPT = Boolean.getBoolean("sim.accept");

  private static final int[] LOSS_PERCENT = {0, 1, 2, 5, 10};
  private static final int[] DELAY_MICROSECONDS = {1, 10, 100};
  private static final List<SendOpcode> OPERATIONS =
      List.of(SendOpcode.SEND, SendOpcode.WRITE, SendOpcode.READ, SendOpcode.FETCH_ADD);

  private static final int MESSAGES = 200;
  private static final int MESSAGE_BYTES = 10_000;
  private static final int DEPTH = 16;
  private static final int FIRST_PSN = 0xFF_FF00;
  /** 1.05 ms. */
  private static final int TIMEOUT = 8;
  private static final int DOMAIN = 1;

  @Test
  void isAsKept() throws IOException {
    String table = table();
    if (ACCEPT) {
      Files.writeString(KEPT, table);
    }
    assertThat(table)
        .as("packets sent again, against %s; to accept the change run the test with -Dsim.accept=true", KEPT)
        .isEqualTo(Files.readString(KEPT));
  }

  private static String table() throws IOException {
    StringBuilder table = new StringBuilder();
    table.append(
        String.format(
            "Packets sent again (and in all) for %d messages of %d bytes, of 8 bytes by FETCH_ADD%n",
            MESSAGES, MESSAGE_BYTES));
    table.append(String.format("%5s %9s", "loss", "delay"));
    OPERATIONS.forEach(operation -> table.append(String.format(" %15s", operation)));
    for (int loss : LOSS_PERCENT) {
      for (int delay : DELAY_MICROSECONDS) {
        table.append(String.format("%n%4d%% %6d us", loss, delay));
        for (SendOpcode operation : OPERATIONS) {
          table.append(String.format(" %15s", new Work(loss, delay, operation).run()));
        }
      }
    }
    return table.append(String.format("%n")).toString();
  }

  /** One cell's work on one connection. */
  private static final class Work {
    private final SendOpcode operation;
    private final Peer a;
    private final Peer b;
    private final SendQueue sends = new SendQueue(DEPTH);
    private final ReceiveQueue receives = new ReceiveQueue(DEPTH);
    private final SendRequest request = new SendRequest();
    private final ScatterGatherList list = new ScatterGatherList();
    private final Completion completion = new Completion();
    private int posted;
    private int completed;
    private int receivesPosted;

    Work(int lossPercent, int delayMicroseconds, SendOpcode operation) throws IOException {
      this.operation = operation;
      SplittableRandom random = new SplittableRandom(lossPercent * 1000 + delayMicroseconds);
      long latencyNs = TimeUnit.MICROSECONDS.toNanos(delayMicroseconds);
      Faults faults = new Faults(lossPercent / 100.0, 0, 0, 0, 0, latencyNs, 0);
      Link.Port[] ports =
          new Link(random, faults, new Histogram())
              .ports(InetAddress.getByName("192.0.2.1"), InetAddress.getByName("192.0.2.2"));
      a = new Peer(random.split(), ports[0], new Arena());
      b = new Peer(random.split(), ports[1], new Arena());
      Set<AccessFlag> all = Target.all();
      int at = a.takeMemory(MESSAGE_BYTES);
      int keyA = a.register(DOMAIN, at, MESSAGE_BYTES, all);
      int target = b.takeMemory(MESSAGE_BYTES);
      int keyB = b.register(DOMAIN, target, MESSAGE_BYTES, all);
      Connection atA = connection(a, sends, new ReceiveQueue(1));
      Connection atB = connection(b, new SendQueue(1), receives);
      connect(atA, a, b, atB);
      connect(atB, b, a, atA);
      request.opcode = operation;
      request.buffers.add(a.address(at), operation.isAtomic() ? Long.BYTES : MESSAGE_BYTES, keyA);
      request.remoteAddress = b.address(target);
      request.remoteKey = keyB;
      list.add(b.address(target), MESSAGE_BYTES, keyB);
    }

    private static Connection connection(Peer peer, SendQueue sends, ReceiveQueue receives) {
      Queues queues = new Queues(sends, receives, peer.sendCompletions.ring, peer.receiveCompletions.ring);
      Connection connection = peer.endpoint.createConnection(Transport.RC, DOMAIN, queues, EventSink.NONE);
      connection.initialize(EnumSet.allOf(AccessFlag.class));
      return connection;
    }

    private static void connect(Connection from, Peer peer, Peer other, Connection to) throws IOException {
      from.readyToReceive(
          new ReadyToReceive(to.number(), FIRST_PSN, PathMtu.MTU_1024, null, 4, 12),
          peer.path(other, from.number(), to.number()));
      from.readyToSend(new ReadyToSend(FIRST_PSN, TIMEOUT, 7, 7, 4));
    }

    String run() {
      long nowNs = 0;
      while (completed < MESSAGES) {
        do {
          post();
          a.exchange(nowNs);
          b.exchange(nowNs);
        } while (take());
        nowNs = Math.max(nowNs, Math.min(a.nextEventNs(), b.nextEventNs()));
      }
      return a.counters.get(Counter.RETRANSMITTED_PKTS) + " / " + a.counters.get(Counter.SENT_PKTS);
    }

    /** Receives are always there first. */
    private void post() {
      while (receivesPosted < MESSAGES && receives.post(receivesPosted, list)) {
        receivesPosted++;
      }
      int ready = operation == SendOpcode.SEND ? receivesPosted : MESSAGES;
      while (posted < ready && sends.post(request)) {
        posted++;
      }
    }

    private boolean take() {
      int before = completed;
      while (a.sendCompletions.poll(completion)) {
        assertThat(completion.status).isEqualTo(CompletionStatus.SUCCESS);
        completed++;
      }
      while (b.receiveCompletions.poll(completion)) {
        assertThat(completion.status).isEqualTo(CompletionStatus.SUCCESS);
      }
      return completed > before;
    }
  }
}
