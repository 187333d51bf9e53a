package io.burst.engine.fuzz;

import io.burst.engine.port.Frames;
import io.burst.engine.qp.Connection;
import io.burst.engine.qp.Counter;
import io.burst.engine.qp.Endpoint;
import io.burst.engine.qp.MemoryTable;
import io.burst.engine.qp.Path;
import io.burst.engine.qp.QueuePairContext;
import io.burst.engine.qp.Queues;
import io.burst.engine.qp.ReceiveQueue;
import io.burst.engine.qp.SendQueue;
import io.burst.engine.qp.UnreliableDatagram;
import io.burst.engine.wire.Flow;
import io.burst.engine.wire.Transport;
import io.burst.spi.Frame;
import io.burst.spi.NextHop;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.Gid;
import io.burst.verbs.PathMtu;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.ScatterGatherList;
import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Drives one endpoint with a queue pair of every service through what a fuzz input decides, and compares after each
 * step everything that it can change with what the models say. Made once; every run starts afresh.
 */
final class SequenceDriver {
  static final int QUEUE_KEY = 0x1234_5678;

  private static final int MOST_STEPS = 400;
  private static final int DEPTH = 8;
  private static final int FRAMES = 128;
  private static final int FRAME_BYTES = 2048;
  private static final int REMOTE_NUMBER = 0x654300;
  private static final int LOCAL = 0xC000_0201;
  private static final int REMOTE = 0xC000_0202;
  private static final int UNKNOWN_KEY = 0x7777_7700;

  private final MemoryTable table = new MemoryTable();
  private final Ledger ledger = new Ledger();
  private final Endpoint endpoint = new Endpoint(table, ledger.counters, 0x123456, (pair, defect) -> { throw defect; });
  private final Arena arena = new Arena(table);
  private final PacketMaker maker = new PacketMaker(arena);
  private final Datagram packet = new Datagram();
  private final Frame in = Frames.allocate(1, FRAME_BYTES)[0];
  private final Frame[] out = Frames.allocate(FRAMES, FRAME_BYTES);

  private final SendQueue sends = new SendQueue(DEPTH);
  private final ReceiveQueue[] receives = new ReceiveQueue[3];
  private final PairModel[] models = new PairModel[3];
  private final Connection reliable;
  private final Connection unreliable;
  private final UnreliableDatagram datagram;
  private final List<QueuePairContext> queuePairs;
  private final Path path;

  private final ScatterGatherList list = new ScatterGatherList();
  private final SendRequest request = new SendRequest();
  private long nowNs;
  private long nextId;

  SequenceDriver() {
    for (int i = 0; i < receives.length; i++) {
      receives[i] = new ReceiveQueue(DEPTH);
    }
    int first = 0x123456;
    ReliableModel reliableModel = new ReliableModel(arena, ledger, first, LOCAL, REMOTE);
    models[0] = reliableModel;
    models[1] = new UnreliableModel(arena, ledger, first + 1, LOCAL, REMOTE);
    models[2] = new DatagramModel(arena, ledger, first + 2, LOCAL, QUEUE_KEY);
    reliable = endpoint.createConnection(Transport.RC, Arena.domain(), queues(0, sends), ledger::told);
    unreliable = endpoint.createConnection(Transport.UC, Arena.domain(), queues(1, new SendQueue(1)), ledger::told);
    datagram = endpoint.createDatagram(Arena.domain(), queues(2, new SendQueue(1)), ledger::told);
    queuePairs = List.of(reliable, unreliable, datagram);
    InetAddress local = address(LOCAL);
    InetAddress remote = address(REMOTE);
    path = new Path(new Flow(local, remote, 0xC001, 0), new NextHop() {}, Gid.of(local), Gid.of(remote));
  }

  private Queues queues(int index, SendQueue sends) {
    return new Queues(sends, receives[index], models[index].sendsDone.ring, models[index].receivesDone.ring);
  }

  void run(byte[] input) {
    Choices choices = new Choices(input);
    restart(choices);
    for (int step = 0; step < MOST_STEPS && !choices.isUsedUp(); step++) {
      step(choices);
      settle();
    }
    transmit();
    settle();
  }

  private void restart(Choices choices) {
    nowNs = 1;
    nextId = 1;
    arena.reset();
    maker.restart();
    for (int i = 0; i < models.length; i++) {
      connect(choices, i);
    }
    ledger.forget();
  }

  /** Makes a queue pair as new, and connects it; sends may have to wait until {@link #ready}. */
  private void connect(Choices choices, int index) {
    int rights = choices.oneIn(8) ? choices.below(8) : Arena.READ | Arena.WRITE | Arena.ATOMIC;
    int receivePsn = choices.of(0xFF_FFFE, 0, 1000, 0x7F_FFFF);
    int sendPsn = choices.of(0xFF_FFFC, 0, 2000, 0x7F_FFFF);
    queuePairs.get(index).reset();
    if (index == 2) {
      models[2].restart(0);
      datagram.initialize(QUEUE_KEY);
      datagram.readyToReceive(PairModel.MTU, List.of(Gid.of(address(LOCAL))), 0xC002);
    } else {
      Connection connection = index == 0 ? reliable : unreliable;
      connection.initialize(access(rights));
      connection.readyToReceive(
          new ReadyToReceive(REMOTE_NUMBER, receivePsn, PathMtu.MTU_256, null, ReliableModel.DEPTH, 12), path);
      if (index == 0) {
        ((ReliableModel) models[0]).restart(rights, receivePsn, sendPsn);
      } else {
        ((UnreliableModel) models[1]).restart(rights, receivePsn);
      }
    }
    for (int i = choices.below(4); i > 0; i--) {
      postReceive(choices, index);
    }
    if (!choices.oneIn(8)) {
      ready(index, sendPsn);
    }
  }

  private void ready(int index, int sendPsn) {
    models[index].state = QueuePairState.READY_TO_SEND;
    if (index == 2) {
      datagram.readyToSend(sendPsn);
      return;
    }
    (index == 0 ? reliable : unreliable)
        .readyToSend(
            new ReadyToSend(
                sendPsn,
                RequesterModel.TIMEOUT,
                RequesterModel.RETRIES,
                RequesterModel.RNR_RETRIES,
                ReliableModel.DEPTH));
  }

  private static Set<AccessFlag> access(int rights) {
    Set<AccessFlag> access = EnumSet.noneOf(AccessFlag.class);
    if ((rights & Arena.WRITE) != 0) {
      access.add(AccessFlag.REMOTE_WRITE);
    }
    if ((rights & Arena.READ) != 0) {
      access.add(AccessFlag.REMOTE_READ);
    }
    if ((rights & Arena.ATOMIC) != 0) {
      access.add(AccessFlag.REMOTE_ATOMIC);
    }
    return access;
  }

  private void step(Choices choices) {
    if (models[0].state == QueuePairState.ERROR && choices.oneIn(3)) {
      changeState(choices);
      return;
    }
    switch (choices.below(16)) {
      case 0 -> postReceive(choices, choices.below(3));
      case 1, 2 -> postSend(choices);
      case 3, 4, 5 -> transmit();
      case 6 -> wait(choices);
      case 7 -> changeState(choices);
      default -> receive(choices);
    }
  }

  /** Whoever has failed or isn't quite there gets further; of the others one fails now and then. */
  private void changeState(Choices choices) {
    int sendPsn = choices.bits24();
    for (int i = 0; i < models.length; i++) {
      if (models[i].state == QueuePairState.ERROR) {
        connect(choices, i);
      } else if (models[i].state == QueuePairState.READY_TO_RECEIVE) {
        if (models[i] instanceof ReliableModel model) {
          model.requester.restart(sendPsn);
        }
        ready(i, sendPsn);
      }
    }
    if (choices.oneIn(16)) {
      int index = choices.below(3);
      queuePairs.get(index).enterError();
      models[index].enterError();
    }
  }

  private void receive(Choices choices) {
    int to = choices.below(8);
    maker.make(choices, models[to < 6 ? 0 : to - 5], in);
    packet.read(in, maker.sealed);
    ledger.count(Counter.RCVD_PKTS);
    PairModel known = null;
    for (PairModel model : models) {
      known = model.number == packet.number ? model : known;
    }
    if (packet.defects != 0) {
      ledger.countOneOf(packet.defects);
    } else if (known == null) {
      ledger.count(Counter.RX_UNKNOWN_QP);
    } else {
      known.receive(packet, nowNs);
    }
    endpoint.onFrame(in, nowNs);
  }

  private void transmit() {
    int count = endpoint.pollTransmit(out, nowNs);
    PairModel.require(count < FRAMES, "it doesn't stop sending", count);
    for (int i = 0; i < count; i++) {
      packet.read(out[i], true);
      PairModel.require(packet.defects == 0, "it sent a packet with a defect", packet.defects);
      PairModel.require(packet.number == REMOTE_NUMBER, "it sent a packet to somebody else", packet.number);
      PairModel.require(packet.destination == REMOTE && packet.source == LOCAL, "addresses", packet.source);
      ledger.count(Counter.SENT_PKTS);
      models[packet.opcode >> 5].sent(packet, nowNs);
    }
    for (PairModel model : models) {
      if (model.state == QueuePairState.ERROR) {
        model.flush();
      }
      model.idle(nowNs);
    }
  }

  private void wait(Choices choices) {
    nowNs += choices.of(1_000, 100_000, 1_000_000, 4_194_304, 20_000_000, 700_000_000);
    endpoint.onTimeout(nowNs);
    for (PairModel model : models) {
      model.timeout(nowNs);
    }
  }

  private void postReceive(Choices choices, int index) {
    PairModel model = models[index];
    boolean writable = !choices.oneIn(32);
    int pieces = choices.of(1, 1, 2, 3);
    int[] offsets = new int[pieces];
    int[] lengths = new int[pieces];
    list.clear();
    for (int i = 0; i < pieces; i++) {
      lengths[i] = choices.of(300, 256, 0, 10, 600, 1024, 1024, 40);
      offsets[i] = place(choices, lengths[i]);
      list.add(arena.localAddress(offsets[i]), lengths[i], writable ? arena.local.key : UNKNOWN_KEY);
    }
    PairModel.Receive receive = new PairModel.Receive(nextId, offsets, lengths, writable || sum(lengths) == 0);
    if (receives[index].post(nextId, list)) {
      PairModel.require(model.receives.size() < DEPTH, "more receives than fit", nextId);
      model.receives.add(receive);
      nextId++;
    } else {
      PairModel.require(model.receives.size() == DEPTH, "fewer receives than fit", nextId);
    }
  }

  private void postSend(Choices choices) {
    ReliableModel model = (ReliableModel) models[0];
    RequesterModel.Work work = new RequesterModel.Work();
    SendOpcode[] opcodes = SendOpcode.values();
    work.id = nextId;
    work.opcode = opcodes[choices.below(opcodes.length)];
    boolean word = work.opcode.isAtomic() || work.opcode == SendOpcode.ATOMIC_WRITE;
    int pieces = word ? 1 : work.opcode.isLocal() ? 0 : choices.of(1, 1, 2);
    boolean readable = !choices.oneIn(32);
    work.offsets = new int[pieces];
    work.lengths = new int[pieces];
    request.buffers.clear();
    for (int i = 0; i < pieces; i++) {
      work.lengths[i] = word ? 8 : choices.of(10, 256, 257, 0, 600, 1000, 1);
      work.offsets[i] = place(choices, work.lengths[i]);
      request.buffers.add(
          arena.localAddress(work.offsets[i]), work.lengths[i], readable ? arena.local.key : UNKNOWN_KEY);
    }
    work.total = sum(work.lengths);
    work.readable = readable || work.total == 0;
    int flags = choices.octet();
    work.signaled = (flags & 3) != 0;
    work.fenced = (flags & 28) == 28;
    work.immediate = (int) nextId * 0x01020304;
    work.address = 0x1_0000 + 64 * nextId;
    work.key = (int) nextId;
    work.swapOrAdd = nextId << 33;
    work.compare = nextId << 35;
    work.invalidateKey = choices.oneIn(4) ? arena.local.key : arena.windowKey;
    request.workRequestId = work.id;
    request.opcode = work.opcode;
    request.signaled = work.signaled;
    request.fenced = work.fenced;
    request.immediate = work.immediate;
    request.remoteAddress = work.address;
    request.remoteKey = work.key;
    request.swapOrAdd = work.swapOrAdd;
    request.compare = work.compare;
    request.invalidateKey = work.invalidateKey;
    if (work.opcode == SendOpcode.BIND_MEMORY_WINDOW) {
      window(choices, work);
    }
    if (sends.post(request)) {
      PairModel.require(model.requester.work.size() < DEPTH, "more sends than fit", nextId);
      model.requester.work.add(work);
      nextId++;
    } else {
      PairModel.require(model.requester.work.size() == DEPTH, "fewer sends than fit", nextId);
    }
  }

  /** A window on part of a region, or what can't be one. */
  private void window(Choices choices, RequesterModel.Work work) {
    Arena.Grant region = arena.grants.get(choices.of(0, 0, 4, 1));
    int rights = 1 + choices.below(7);
    boolean zeroBased = choices.oneIn(3);
    int start = choices.of(0, 64, 100, 256);
    int length = choices.of(64, 200, 0, region.lengthBytes - start, region.lengthBytes - start + 1);
    work.windowKey = choices.oneIn(8) ? region.key : arena.windowKey;
    int newKey = arena.windowKey & ~0xFF | arena.windowKey + choices.of(1, 1, 2, 0) & 0xFF;
    request.binding.windowKey = work.windowKey;
    request.binding.newKey = newKey;
    request.binding.regionKey = region.key;
    request.binding.address = region.base + start;
    request.binding.lengthBytes = length;
    request.binding.access.clear();
    request.binding.access.addAll(access(rights));
    if (zeroBased) {
      request.binding.access.add(AccessFlag.ZERO_BASED);
    }
    boolean bindable = region == arena.grants.get(0) || region == arena.grants.get(4);
    if (bindable && length > 0 && length <= region.lengthBytes - start) {
      work.window = new Arena.Grant();
      work.window.key = newKey;
      work.window.base = zeroBased ? 0 : arena.localAddress(region.offset + start);
      work.window.lengthBytes = length;
      work.window.offset = region.offset + start;
      work.window.domain = region.domain;
      work.window.rights = rights;
      work.window.queuePair = models[0].number;
    }
  }

  private static int place(Choices choices, int lengthBytes) {
    return Arena.LOCAL_OFFSET + Math.min(choices.octet() * 28, Arena.LOCAL_BYTES - lengthBytes);
  }

  /** What the endpoint has counted since it was made. */
  Map<Counter, Long> counts() {
    return Stream.of(Counter.values()).collect(Collectors.toMap(counter -> counter, ledger.counters::get));
  }

  private void settle() {
    for (PairModel model : models) {
      model.sendsDone.settle();
      model.receivesDone.settle();
    }
    PairModel.require(reliable.state() == models[0].state, "the reliable connection is in", reliable.state());
    PairModel.require(unreliable.state() == models[1].state, "the unreliable connection is in", unreliable.state());
    PairModel.require(datagram.state() == models[2].state, "the datagram queue pair is in", datagram.state());
    ReliableModel model = (ReliableModel) models[0];
    PairModel.require(reliable.receivePsn() == model.expected, "it expects PSN", reliable.receivePsn());
    ledger.settle();
    arena.check();
  }

  private static int sum(int[] lengths) {
    int sum = 0;
    for (int length : lengths) {
      sum += length;
    }
    return sum;
  }

  private static InetAddress address(int ipv4) {
    try {
      byte[] bytes = {(byte) (ipv4 >> 24), (byte) (ipv4 >> 16), (byte) (ipv4 >> 8), (byte) ipv4};
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
