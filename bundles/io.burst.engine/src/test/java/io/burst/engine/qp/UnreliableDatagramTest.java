package io.burst.engine.qp;

import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.port.Frames;
import io.burst.engine.wire.Captures;
import io.burst.engine.wire.Flow;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.PacketWriter;
import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.Verdict;
import io.burst.linux.Memory;
import io.burst.spi.Frame;
import io.burst.spi.NextHop;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionOpcode;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.Gid;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.ScatterGatherList;
import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules of the datagram service: its route header area, its Q_Key, and what is lost in silence. */
class UnreliableDatagramTest {
  private static final String LOCAL = "192.0.2.1";
  private static final String REMOTE = "192.0.2.2";
  private static final int NUMBER = 0x51;
  private static final int QUEUE_KEY = 0x11111111;
  private static final int DOMAIN = 1;
  private static final byte POISON = (byte) 0xA5;
  private static final int ROUTE_HEADER = 40;
  private static final int IPV4_HEADER = 20;

  private final Counters counters = new Counters();
  private final MemoryTable table = new MemoryTable();
  private final SendQueue sends = new SendQueue(8, 16);
  private final ReceiveQueue receives = new ReceiveQueue(8);
  private final CompletionRing completions = new CompletionRing(16);
  private final ByteBuffer memory = ByteBuffer.allocateDirect(1 << 16);
  private final Region region =
      table.add(DOMAIN, Memory.addressOf(memory), memory.capacity(), Region.mask(EnumSet.of(AccessFlag.LOCAL_WRITE)));
  private final Frame[] frames = Frames.allocate(1, 9000);
  private Endpoint endpoint;
  private UnreliableDatagram datagrams;

  UnreliableDatagramTest() {
    open(NUMBER, LOCAL);
  }

  private void open(int number, String address) {
    endpoint = new Endpoint(table, counters, number, (queuePair, defect) -> { throw defect; });
    datagrams = endpoint.createDatagram(DOMAIN, new Queues(sends, receives, completions, completions), EventSink.NONE);
    while (memory.hasRemaining()) {
      memory.put(POISON);
    }
    datagrams.initialize(QUEUE_KEY);
    datagrams.readyToReceive(1024, List.of(Gid.of(address(LOCAL)), Gid.of(address(address))), 0xC155);
    datagrams.readyToSend(0xFF_FFFF);
  }

  /** The IP header, as it was on the wire, ends where the payload starts. */
  @ParameterizedTest
  @CsvSource({"send-ud.pcap, 10.77.0.2, 20", "send-ud-ipv6.pcap, fd77::2, 40"})
  void takesWhatSoftRoceSent(String file, String address, int ipHeaderBytes) {
    List<Captures.Recorded> recorded = Captures.packets(java.nio.file.Path.of("../../itests/captures", file));
    RocePacket first = wrapped(recorded.get(0).bytes());
    open(first.destinationQpn(), address);
    for (Captures.Recorded packet : recorded) {
      postReceive(1, 2048);
      receive(packet.bytes());
      Completion done = poll();
      RocePacket sent = wrapped(packet.bytes());
      assertThat(done.status).isEqualTo(CompletionStatus.SUCCESS);
      assertThat(done.lengthBytes).isEqualTo(ROUTE_HEADER + 1024);
      assertThat(done.hasGlobalRouteHeader).isTrue();
      assertThat(done.sourceQueuePairNumber).isEqualTo(sent.dethSourceQpn()).isEqualTo(first.destinationQpn());
      assertThat(bytes(ROUTE_HEADER - ipHeaderBytes, ipHeaderBytes))
          .isEqualTo(Arrays.copyOf(packet.bytes(), ipHeaderBytes));
      int payload = sent.payloadOffset();
      assertThat(bytes(ROUTE_HEADER, 1024)).isEqualTo(Arrays.copyOfRange(packet.bytes(), payload, payload + 1024));
    }
    assertThat(recorded.size()).isGreaterThan(4);
  }

  @Test
  void immediateAndLengthAreHandedOver() {
    postReceive(7, ROUTE_HEADER + 5);
    receive(datagram(QUEUE_KEY, 5, Opcode.UD_SEND_ONLY_IMMEDIATE, w -> w.immediate(0x01020304)));
    Completion done = poll();
    assertThat(done.workRequestId).isEqualTo(7);
    assertThat(done.opcode).isEqualTo(CompletionOpcode.RECEIVE);
    assertThat(done.hasImmediate).isTrue();
    assertThat(done.immediate).isEqualTo(0x01020304);
    assertThat(done.lengthBytes).isEqualTo(ROUTE_HEADER + 5);
    assertThat(bytes(0, ROUTE_HEADER - IPV4_HEADER)).containsOnly(POISON);
    assertThat(bytes(ROUTE_HEADER + 5, 8)).containsOnly(POISON);
  }

  @Test
  void anotherQueueKeyIsDropped() {
    postReceive(1, 100);
    receive(datagram(QUEUE_KEY + 1, 5));
    assertLost(Counter.RX_BAD_QKEY);
  }

  @Test
  void anAddressThatIsNotOursIsDropped() {
    postReceive(1, 100);
    receive(
        Packets.packet(
            REMOTE, "192.0.2.9", Opcode.UD_SEND_ONLY, NUMBER, 0, w -> w.deth(QUEUE_KEY, 9), new byte[5]));
    assertLost(Counter.RX_WRONG_ADDRESS);
  }

  @Test
  void withoutAReceiveItIsLost() {
    receive(datagram(QUEUE_KEY, 5));
    assertLost(Counter.RX_DROPPED_MESSAGES);
  }

  @Test
  void longerThanItsReceiveIsLostAndTheReceiveServesTheNext() {
    postReceive(1, ROUTE_HEADER + 4);
    receive(datagram(QUEUE_KEY, 5));
    assertLost(Counter.RX_DROPPED_MESSAGES);
    receive(datagram(QUEUE_KEY, 4));
    assertThat(poll().workRequestId).isEqualTo(1);
  }

  @Test
  void aReceiveThatCannotBeWrittenFails() {
    Region readOnly = table.add(DOMAIN, Memory.addressOf(memory), memory.capacity(), 0);
    receives.post(1, new ScatterGatherList().add(readOnly.address(), 100, readOnly.key()));
    postReceive(2, 100);
    receive(datagram(QUEUE_KEY, 5));
    assertThat(poll().status).isEqualTo(CompletionStatus.LOCAL_PROTECTION_ERROR);
    assertThat(poll().status).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
    assertThat(datagrams.state()).isEqualTo(QueuePairState.ERROR);
    assertThat(bytes(0, 100)).containsOnly(POISON);
  }

  @Test
  void sendsOnePacketEach() {
    send(SendOpcode.SEND_WITH_IMMEDIATE, 1024, 0x22222222);
    send(SendOpcode.SEND, 0, 0x8000_0000);
    RocePacket sent = transmit();
    assertThat(sent.opcode()).isEqualTo(Opcode.UD_SEND_ONLY_IMMEDIATE);
    assertThat(sent.psn()).isEqualTo(0xFF_FFFF);
    assertThat(sent.destinationQpn()).isEqualTo(0x99);
    assertThat(sent.dethQueueKey()).isEqualTo(0x22222222);
    assertThat(sent.dethSourceQpn()).isEqualTo(NUMBER);
    assertThat(sent.immediate()).isEqualTo(0x0A0B0C0D);
    assertThat(sent.sourcePort()).isEqualTo(0xC155);
    assertThat(sent.payloadBytes()).isEqualTo(1024);
    assertThat(poll().status).isEqualTo(CompletionStatus.SUCCESS);
    RocePacket next = transmit();
    assertThat(next.opcode()).isEqualTo(Opcode.UD_SEND_ONLY);
    assertThat(next.psn()).isZero();
    assertThat(next.dethQueueKey()).as("bit 31 stands for the queue pair's own").isEqualTo(QUEUE_KEY);
    assertThat(transmit()).isNull();
  }

  @Test
  void whatDoesNotFitAPacketStopsTheSendQueueUntilItIsResumed() {
    send(SendOpcode.SEND, 1025, 1);
    send(SendOpcode.SEND, 10, 1);
    assertThat(transmit()).isNull();
    assertThat(poll().status).isEqualTo(CompletionStatus.LOCAL_LENGTH_ERROR);
    assertThat(poll().status).isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
    assertThat(datagrams.state()).isEqualTo(QueuePairState.SEND_QUEUE_ERROR);
    postReceive(3, 100);
    receive(datagram(QUEUE_KEY, 5));
    assertThat(poll().workRequestId).isEqualTo(3);
    datagrams.resume();
    send(SendOpcode.SEND, 10, 1);
    assertThat(transmit().payloadBytes()).isEqualTo(10);
  }

  /** Inline bytes are the queue's once they are posted, and no key is looked at. */
  @Test
  void inlineBytesAreCopiedAtPost() {
    memory.put(0, (byte) 42);
    SendRequest request = request(SendOpcode.SEND, 0, 1);
    request.inline = true;
    request.buffers.clear().add(Memory.addressOf(memory), 1, 0xBAD).add(Memory.addressOf(memory) + 1, 2, 0xBAD);
    sends.post(request, path());
    memory.put(0, (byte) 43);
    RocePacket sent = transmit();
    assertThat(sent.payloadBytes()).isEqualTo(3);
    assertThat(sent.buffer().get(sent.payloadOffset())).isEqualTo((byte) 42);
    assertThat(sent.buffer().get(sent.payloadOffset() + 1)).isEqualTo(POISON);
  }

  private void assertLost(Counter reason) {
    assertThat(counters.get(reason)).isEqualTo(1);
    assertThat(poll()).isNull();
    assertThat(datagrams.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    assertThat(bytes(0, 1000)).containsOnly(POISON);
  }

  private static byte[] datagram(int queueKey, int bytes) {
    return datagram(queueKey, bytes, Opcode.UD_SEND_ONLY, w -> {});
  }

  private static byte[] datagram(int queueKey, int bytes, Opcode opcode, Consumer<PacketWriter> more) {
    return Packets.packet(
        REMOTE, LOCAL, opcode, NUMBER, 77, w -> more.accept(w.deth(queueKey, 0x88)), new byte[bytes]);
  }

  private void postReceive(long id, long bytes) {
    receives.post(id, new ScatterGatherList().add(region.address(), bytes, region.key()));
  }

  private void send(SendOpcode opcode, int bytes, int queueKey) {
    assertThat(sends.post(request(opcode, bytes, queueKey), path())).isTrue();
  }

  private SendRequest request(SendOpcode opcode, int bytes, int queueKey) {
    SendRequest request = new SendRequest();
    request.opcode = opcode;
    request.immediate = 0x0A0B0C0D;
    request.remoteNumber = 0x99;
    request.remoteQueueKey = queueKey;
    request.buffers.add(region.address(), bytes, region.key());
    return request;
  }

  private static Path path() {
    Flow flow = new Flow(address(LOCAL), address(REMOTE), 1, 0);
    return new Path(flow, new NextHop() {}, Gid.of(address(LOCAL)), Gid.of(address(REMOTE)));
  }

  private void receive(byte[] packet) {
    frames[0].buffer.put(Frame.HEADROOM_BYTES, packet);
    frames[0].lengthBytes = packet.length;
    endpoint.onFrame(frames[0], 0);
  }

  private RocePacket transmit() {
    if (endpoint.pollTransmit(frames, 0) == 0) {
      return null;
    }
    RocePacket packet = new RocePacket();
    assertThat(packet.wrap(frames[0].buffer, Frame.HEADROOM_BYTES, frames[0].lengthBytes)).isEqualTo(Verdict.OK);
    return packet;
  }

  private Completion poll() {
    Completion completion = new Completion();
    return completions.poll(completion) ? completion : null;
  }

  private byte[] bytes(int offset, int count) {
    byte[] bytes = new byte[count];
    memory.get(offset, bytes);
    return bytes;
  }

  private static RocePacket wrapped(byte[] bytes) {
    RocePacket packet = new RocePacket();
    assertThat(packet.wrap(ByteBuffer.wrap(bytes), 0, bytes.length)).isEqualTo(Verdict.OK);
    return packet;
  }

  private static InetAddress address(String literal) {
    try {
      return InetAddress.getByName(literal);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
