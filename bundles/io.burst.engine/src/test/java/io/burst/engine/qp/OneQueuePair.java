package io.burst.engine.qp;

import io.burst.engine.copy.CpuCopyEngine;
import io.burst.engine.port.Frames;
import io.burst.engine.wire.Flow;
import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.Transport;
import io.burst.engine.wire.Verdict;
import io.burst.linux.Memory;
import io.burst.spi.CopyEngine;
import io.burst.spi.Frame;
import io.burst.spi.NextHop;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.Completion;
import io.burst.verbs.Gid;
import io.burst.verbs.PathMtu;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.ScatterGatherList;
import io.burst.verbs.SendRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** An endpoint with one connected queue pair whose peer is the test: bytes go in, packets and completions come out. */
final class OneQueuePair {
  static final byte POISON = (byte) 0xA5;

  static final int DOMAIN = 1;
  /** Everything, and addresses as they are. */
  static final int ALL = Region.mask(EnumSet.complementOf(EnumSet.of(AccessFlag.ZERO_BASED)));

  static final int SPARE_FRAMES = 8;
  private static final int FRAME_BYTES = 9000;

  final Counters counters;
  final MemoryTable table;
  final Endpoint endpoint;
  final Connection connection;
  final List<AsyncEventType> events = new ArrayList<>();
  final SendQueue sends = new SendQueue(64);
  final ReceiveQueue receives;
  final CompletionRing completions;
  final ByteBuffer memory = ByteBuffer.allocateDirect(1 << 20);
  final Region region;

  private final FramePool spareFrames;
  private Frame in = Frames.allocate(1, FRAME_BYTES)[0];
  private final Frame[] out = Frames.allocate(1, FRAME_BYTES);
  private final InetAddress local;
  private final InetAddress remote;

  OneQueuePair(int number, String local, String remote) {
    this(number, local, remote, EnumSet.noneOf(AccessFlag.class));
  }

  OneQueuePair(int number, String local, String remote, Set<AccessFlag> remoteAccess) {
    this(Transport.RC, number, local, remote, remoteAccess);
  }

  OneQueuePair(Transport transport, int number, String local, String remote, Set<AccessFlag> remoteAccess) {
    this(transport, number, local, remote, remoteAccess, new CompletionRing(256));
  }

  OneQueuePair(
      Transport transport,
      int number,
      String local,
      String remote,
      Set<AccessFlag> remoteAccess,
      CompletionRing completions) {
    this(transport, number, local, remote, remoteAccess, completions, new CpuCopyEngine());
  }

  OneQueuePair(
      Transport transport,
      int number,
      String local,
      String remote,
      Set<AccessFlag> remoteAccess,
      CompletionRing completions,
      CopyEngine copyEngine) {
    this.completions = completions;
    spareFrames = new FramePool(Frames.allocate(SPARE_FRAMES, FRAME_BYTES));
    this.local = address(local);
    this.remote = address(remote);
    counters = new Counters();
    table = new MemoryTable();
    receives = new ReceiveQueue(64);
    endpoint =
        new Endpoint(
            table, counters, number, (queuePair, defect) -> { throw defect; }, copyEngine, spareFrames);
    connection = create(transport, remoteAccess);
    region = poisoned();
  }

  /** A queue pair with all rights at the same endpoint as another, with memory and completions of its own. */
  OneQueuePair(OneQueuePair other, ReceiveQueue receives) {
    this.receives = receives;
    completions = new CompletionRing(256);
    local = other.local;
    remote = other.remote;
    counters = other.counters;
    table = other.table;
    endpoint = other.endpoint;
    spareFrames = other.spareFrames;
    connection = create(other.connection.transport(), EnumSet.allOf(AccessFlag.class));
    region = poisoned();
  }

  private Connection create(Transport transport, Set<AccessFlag> remoteAccess) {
    Queues queues = new Queues(sends, receives, completions, completions);
    Connection created = endpoint.createConnection(transport, DOMAIN, queues, events::add);
    created.initialize(remoteAccess);
    return created;
  }

  private Region poisoned() {
    while (memory.hasRemaining()) {
      memory.put(POISON);
    }
    return table.add(DOMAIN, Memory.addressOf(memory), memory.capacity(), ALL);
  }

  void connect(
      int remoteNumber, int receivePsn, int sendPsn, PathMtu mtu, int timeout, int retryCount, int rnrRetryCount) {
    Flow flow = new Flow(local, remote, Flow.sourcePort(connection.number(), remoteNumber), 0);
    Path path = new Path(flow, new NextHop() {}, Gid.of(local), Gid.of(remote));
    connection.readyToReceive(new ReadyToReceive(remoteNumber, receivePsn, mtu, null, 4, 12), path);
    connection.readyToSend(new ReadyToSend(sendPsn, timeout, retryCount, rnrRetryCount, 4));
  }

  /** Posts a SEND from the region. */
  void postSend(long id, long offset, long lengthBytes) {
    SendRequest request = new SendRequest();
    request.workRequestId = id;
    request.buffers.add(region.address() + offset, lengthBytes, region.key());
    sends.post(request);
  }

  void post(Consumer<SendRequest> fill) {
    SendRequest request = new SendRequest();
    fill.accept(request);
    if (!sends.post(request)) {
      throw new AssertionError("the send queue is full");
    }
  }

  /** Posts a receive into the region. */
  void postReceive(long id, long offset, long lengthBytes) {
    receives.post(id, new ScatterGatherList().add(region.address() + offset, lengthBytes, region.key()));
  }

  void receive(byte[] packet, long nowNs) {
    in.buffer.put(Frame.HEADROOM_BYTES, packet);
    in.lengthBytes = packet.length;
    endpoint.onFrame(in, nowNs);
    if (in.isHeld()) {
      in = spareFrames.take();
    }
  }

  /** The next packet that it sends, or null; valid until the next call. */
  RocePacket transmit(long nowNs) {
    if (endpoint.pollTransmit(out, nowNs) == 0) {
      return null;
    }
    RocePacket packet = new RocePacket();
    Verdict verdict = packet.wrap(out[0].buffer, Frame.HEADROOM_BYTES, out[0].lengthBytes);
    if (verdict != Verdict.OK) {
      throw new AssertionError("it sent a packet that is " + verdict);
    }
    return packet;
  }

  /** The next completion, or null. */
  Completion poll() {
    Completion completion = new Completion();
    return completions.poll(completion) ? completion : null;
  }

  private static InetAddress address(String literal) {
    try {
      return InetAddress.getByName(literal);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
