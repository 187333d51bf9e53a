package io.burst.itests.peer;

import io.burst.verbs.AccessFlag;
import io.burst.verbs.AddressHandle;
import io.burst.verbs.AddressVector;
import io.burst.verbs.AsyncEvent;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionOpcode;
import io.burst.verbs.CompletionQueue;
import io.burst.verbs.Device;
import io.burst.verbs.Gid;
import io.burst.verbs.MemoryRegion;
import io.burst.verbs.MemoryWindow;
import io.burst.verbs.PathMtu;
import io.burst.verbs.ProtectionDomain;
import io.burst.verbs.QueuePair;
import io.burst.verbs.QueuePairInit;
import io.burst.verbs.QueuePairType;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.ReceiveRequest;
import io.burst.verbs.ScatterGatherList;
import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;
import io.burst.verbs.SharedReceiveQueue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** BURST's end, on a device of this JVM. For one thread. */
final class BurstSide implements Side, AutoCloseable {

  static final int QUEUE_KEY = 0x1234567;
  static final long TIMEOUT_MS = 60_000;

  private static final int DEPTH = 64;
  private static final int INLINE_BYTES = 64;

  /** As verbs-peer calls them. */
  private static final Map<CompletionOpcode, String> NAMES = Map.of(
      CompletionOpcode.SEND, "send",
      CompletionOpcode.WRITE, "write",
      CompletionOpcode.READ, "read",
      CompletionOpcode.COMPARE_SWAP, "cmp-swap",
      CompletionOpcode.FETCH_ADD, "fetch-add",
      CompletionOpcode.ATOMIC_WRITE, "atomic-write",
      CompletionOpcode.LOCAL_INVALIDATE, "local-inv",
      CompletionOpcode.BIND_MEMORY_WINDOW, "bind",
      CompletionOpcode.RECEIVE, "receive",
      CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE, "receive-write-imm");

  private static final Map<Integer, AsyncEventType> EVENTS = Map.of(
      4, AsyncEventType.COMMUNICATION_ESTABLISHED,
      15, AsyncEventType.SHARED_RECEIVE_QUEUE_LIMIT,
      16, AsyncEventType.LAST_RECEIVE_REACHED);

  private final SoftRoce guest;
  private final Device device;
  private final ProtectionDomain domain;
  private final ByteBuffer buffer;
  private final MemoryRegion region;

  /** @param buffer direct, of {@link Side#BUFFER_BYTES} */
  BurstSide(SoftRoce guest, Device device, ByteBuffer buffer) {
    this.guest = guest;
    this.device = device;
    this.buffer = buffer.order(ByteOrder.nativeOrder());
    domain = device.allocateProtectionDomain();
    region = domain.registerMemory(buffer, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ,
        AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC, AccessFlag.MEMORY_WINDOW_BIND));
  }

  @Override
  public void fill(int offset, int lengthBytes, long seed) {
    Pattern.fill(buffer, offset, lengthBytes, seed);
  }

  @Override
  public void poison(int offset, int lengthBytes) {
    for (int i = offset; i < offset + lengthBytes; i++) {
      buffer.put(i, POISON);
    }
  }

  @Override
  public int mismatch(int offset, int lengthBytes, long seed) {
    return Pattern.mismatch(buffer, offset, lengthBytes, seed);
  }

  @Override
  public int spoiled(int offset, int lengthBytes) {
    for (int i = 0; i < lengthBytes; i++) {
      if (buffer.get(offset + i) != POISON) {
        return i;
      }
    }
    return -1;
  }

  @Override
  public long load(int offset) {
    return buffer.getLong(offset);
  }

  @Override
  public void store(int offset, long value) {
    buffer.putLong(offset, value);
  }

  byte[] bytes(int offset, int lengthBytes) {
    byte[] bytes = new byte[lengthBytes];
    buffer.get(offset, bytes);
    return bytes;
  }

  @Override
  public long address() {
    return region.address();
  }

  @Override
  public int remoteKey() {
    return region.remoteKey();
  }

  @Override
  public Queue create(Terms terms) {
    return new BurstQueue(terms);
  }

  @Override
  public void close() {
    region.close();
    domain.close();
  }

  private AddressVector way(Family family) {
    List<Gid> gids = device.gids();
    int index = 0;
    while (gids.get(index).isIpv4() != (family == Family.IPV4) || gids.get(index).isLinkLocal()) {
      index++;
    }
    return new AddressVector(guest.guestGid(family), index, 0);
  }

  private final class BurstQueue implements Queue {

    private final Terms terms;
    private final Semaphore notifications = new Semaphore(0);
    private final Completion completion = new Completion();
    private final CompletionQueue completions;
    private final SharedReceiveQueue shared;
    private final QueuePair queuePair;
    private MemoryWindow window;
    private AddressHandle handle;

    BurstQueue(Terms terms) {
      this.terms = terms;
      completions = device.createCompletionQueue(2 * DEPTH, notifications::release);
      shared = terms.sharedReceives() ? domain.createSharedReceiveQueue(DEPTH) : null;
      QueuePairType type = switch (terms.service()) {
        case RC -> QueuePairType.RELIABLE_CONNECTION;
        case UC -> QueuePairType.UNRELIABLE_CONNECTION;
        case UD -> QueuePairType.UNRELIABLE_DATAGRAM;
      };
      queuePair = domain.createQueuePair(
          new QueuePairInit(type, completions, completions, DEPTH, DEPTH, shared, INLINE_BYTES));
    }

    @Override
    public int number() {
      return queuePair.number();
    }

    @Override
    public void connect(int remoteNumber) {
      if (terms.service() == Service.UD) {
        queuePair.initialize(QUEUE_KEY);
        queuePair.readyToReceive();
        queuePair.readyToSend(terms.psn());
        handle = domain.createAddressHandle(way(terms.family()));
        return;
      }
      queuePair.initialize(EnumSet.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC));
      queuePair.readyToReceive(new ReadyToReceive(
          remoteNumber, terms.psn(), PathMtu.ofBytes(terms.pathMtu()), way(terms.family()), 16, 12));
      queuePair.readyToSend(new ReadyToSend(terms.psn(), terms.timeout(), terms.retries(), 7, 16));
    }

    @Override
    public void receive(long work, List<Piece> pieces) {
      ReceiveRequest request = new ReceiveRequest();
      request.workRequestId = work;
      add(request.buffers, pieces);
      if (!(shared == null ? queuePair.postReceive(request) : shared.post(request))) {
        throw new IllegalStateException("the receive queue is full");
      }
    }

    private void add(ScatterGatherList list, List<Piece> pieces) {
      pieces.forEach(piece -> list.add(address() + piece.offset(), piece.lengthBytes(), region.localKey()));
    }

    @Override
    public void send(long work, Work what) {
      SendRequest request = new SendRequest();
      request.workRequestId = work;
      request.opcode = what.operation.opcode;
      add(request.buffers, what.pieces);
      request.inline = what.inline;
      request.immediate = what.immediate;
      request.remoteAddress = what.remoteAddress;
      request.remoteKey = what.remoteKey;
      boolean swaps = what.operation == Operation.COMPARE_SWAP;
      request.compare = swaps ? what.value : 0;
      request.swapOrAdd = swaps ? what.swap : what.value;
      request.invalidateKey = what.invalidate;
      request.addressHandle = handle;
      request.remoteNumber = what.remoteNumber;
      request.remoteQueueKey = QUEUE_KEY;
      post(request);
    }

    private void post(SendRequest request) {
      if (!queuePair.postSend(request)) {
        throw new IllegalStateException("the send queue is full");
      }
    }

    @Override
    public Outcome await(long timeoutMs) {
      Deadline deadline = Deadline.in(timeoutMs);
      while (!completions.poll(completion)) {
        notifications.drainPermits();
        completions.requestNotification(false);
        if (completions.poll(completion)) {
          break;
        }
        if (!awaitNotification(deadline)) {
          return completions.poll(completion) ? outcome() : null;
        }
      }
      return outcome();
    }

    private boolean awaitNotification(Deadline deadline) {
      try {
        return notifications.tryAcquire(deadline.leftNs(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    private Outcome outcome() {
      boolean good = completion.status.ordinal() == 0;
      return new Outcome(
          completion.workRequestId,
          completion.status.ordinal(),
          good ? NAMES.get(completion.opcode) : null,
          good ? completion.lengthBytes : 0,
          good && completion.hasImmediate ? completion.immediate : null,
          good && completion.hasInvalidatedKey ? completion.invalidatedKey : null,
          good && completion.hasGlobalRouteHeader,
          good ? completion.sourceQueuePairNumber : 0);
    }

    @Override
    public int bindWindow(int offset, int lengthBytes) {
      window = domain.allocateMemoryWindow();
      SendRequest request = new SendRequest();
      request.opcode = SendOpcode.BIND_MEMORY_WINDOW;
      request.binding.windowKey = window.remoteKey();
      request.binding.newKey = MemoryWindow.nextKey(window.remoteKey());
      request.binding.regionKey = region.localKey();
      request.binding.address = address() + offset;
      request.binding.lengthBytes = lengthBytes;
      request.binding.access.addAll(Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC));
      post(request);
      Outcome outcome = await(TIMEOUT_MS);
      if (outcome == null || outcome.status() != 0) {
        throw new IllegalStateException("the window could not be bound: " + outcome);
      }
      return request.binding.newKey;
    }

    @Override
    public void limit(int receives) {
      shared.setLimit(receives);
    }

    @Override
    public boolean awaitEvent(int type, long timeoutMs) {
      Deadline deadline = Deadline.in(timeoutMs);
      while (!deadline.isOver()) {
        AsyncEvent event = device.pollEvent();
        if (event == null) {
          Deadline.pause();
        } else if (event.type() == EVENTS.get(type) && (event.element() == queuePair || event.element() == shared)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public void close() {
      queuePair.close();
      if (window != null) {
        window.close();
      }
      if (handle != null) {
        handle.close();
      }
      if (shared != null) {
        shared.close();
      }
      completions.close();
    }
  }
}
