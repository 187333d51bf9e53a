package io.burst.engine.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.port.PortException;
import io.burst.engine.port.Ports;
import io.burst.engine.qp.CompletionRing;
import io.burst.engine.qp.Connection;
import io.burst.engine.qp.Counter;
import io.burst.engine.qp.EventSink;
import io.burst.engine.qp.MemoryTable;
import io.burst.engine.qp.Path;
import io.burst.engine.qp.Queues;
import io.burst.engine.qp.ReceiveQueue;
import io.burst.engine.qp.Region;
import io.burst.engine.qp.SendQueue;
import io.burst.engine.wire.Flow;
import io.burst.engine.wire.Transport;
import io.burst.engine.worker.Worker;
import io.burst.linux.Memory;
import io.burst.spi.PacketPort;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.Gid;
import io.burst.verbs.PathMtu;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The owner of a region writes it all the time while the peer READs it: each response has some of the old bytes and
 * some of the new, and an ICRC that is right for just those.
 */
@Timeout(120)
class BusyRegionTest {
  private static final int READS = 1500;
  private static final int PSN = 0xFF_FF00;
  private static final int DOMAIN = 1;
  private static final int BYTES = 8 * 1024;
  /** 17 s, so that a machine with other work to do makes no time-out. */
  private static final int TIMEOUT = 22;
  private static final Set<AccessFlag> READABLE = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);

  /** One end: a worker on a socket with a queue pair and a region. */
  private static final class End implements AutoCloseable {
    final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES);
    final MemoryTable table = new MemoryTable();
    final Region region = table.add(DOMAIN, Memory.addressOf(memory), BYTES, Region.mask(READABLE));
    final SendQueue sends = new SendQueue(1);
    final CompletionRing completions = new CompletionRing(4);
    final PacketPort port;
    final Worker worker;
    final Connection connection;

    End(String address) throws IOException, PortException {
      port = Ports.open("udp", null, InetAddress.getByName(address), null);
      worker = new Worker(address, port, table);
      Queues queues = new Queues(sends, new ReceiveQueue(1), completions, completions);
      connection =
          worker.call(endpoint -> endpoint.createConnection(Transport.RC, DOMAIN, queues, EventSink.NONE));
    }

    void connect(End peer) throws IOException {
      InetAddress local = port.addresses().get(0);
      InetAddress remote = peer.port.addresses().get(0);
      Flow flow = new Flow(local, remote, port.udpSourcePort(0xC000), 0);
      Path path = new Path(flow, port.resolve(local, remote), Gid.of(local), Gid.of(remote));
      int number = peer.connection.number();
      worker.call(
          endpoint -> {
            connection.initialize(READABLE);
            connection.readyToReceive(new ReadyToReceive(number, PSN, PathMtu.MTU_1024, null, 1, 12), path);
            connection.readyToSend(new ReadyToSend(PSN, TIMEOUT, 7, 7, 1));
            return null;
          });
    }

    void assertNothingWasLost() {
      for (Counter counter :
          EnumSet.of(
              Counter.RX_ICRC_ENCAPSULATED,
              Counter.RETRANSMITTED_PKTS,
              Counter.LOCAL_ACK_TIMEOUT_ERR,
              Counter.IMPLIED_NAK_SEQ_ERR,
              Counter.DUPLICATE_REQUEST,
              Counter.OUT_OF_SEQUENCE)) {
        assertThat(worker.counters().get(counter)).as("%s", counter).isZero();
      }
    }

    @Override
    public void close() {
      worker.close();
    }
  }

  private volatile boolean done;

  @Test
  void isReadWithoutABadChecksum() throws Exception {
    try (End owner = new End("127.0.0.93");
        End reader = new End("127.0.0.94")) {
      owner.connect(reader);
      reader.connect(owner);
      Thread writer = new Thread(() -> keepWriting(owner.memory), "writer");
      writer.start();
      try {
        for (int i = 0; i < READS; i++) {
          read(reader, owner, i);
        }
      } finally {
        done = true;
        writer.join();
      }
      owner.assertNothingWasLost();
      reader.assertNothingWasLost();
      assertThat(reader.worker.counters().get(Counter.RCVD_PKTS)).isEqualTo((long) READS * BYTES / 1024);
    }
  }

  private void keepWriting(ByteBuffer memory) {
    for (long value = 1; !done; value += 0x0101_0101_0101_0101L) {
      for (int i = 0; i < BYTES; i += Long.BYTES) {
        memory.putLong(i, value);
      }
    }
  }

  private static void read(End reader, End owner, long id) {
    SendRequest request = new SendRequest();
    request.workRequestId = id;
    request.opcode = SendOpcode.READ;
    request.remoteAddress = owner.region.address();
    request.remoteKey = owner.region.key();
    request.buffers.add(reader.region.address(), BYTES, reader.region.key());
    assertThat(reader.sends.post(request)).isTrue();
    reader.worker.wake();
    Completion completion = new Completion();
    while (!reader.completions.poll(completion)) {
      // Here and now, since the READ would wait for its time-out.
      if (reader.worker.counters().get(Counter.RX_ICRC_ENCAPSULATED) > 0) {
        throw new AssertionError("a response of READ " + id + " had a bad ICRC");
      }
      Thread.yield();
    }
    assertThat(completion.status).isEqualTo(CompletionStatus.SUCCESS);
    assertThat(completion.workRequestId).isEqualTo(id);
  }
}
