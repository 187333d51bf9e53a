package io.burst.tools;

import io.burst.verbs.AccessFlag;
import io.burst.verbs.AddressHandle;
import io.burst.verbs.AddressVector;
import io.burst.verbs.AsyncEvent;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionOpcode;
import io.burst.verbs.CompletionQueue;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.Device;
import io.burst.verbs.Gid;
import io.burst.verbs.MemoryRegion;
import io.burst.verbs.MemoryWindow;
import io.burst.verbs.PathMtu;
import io.burst.verbs.ProtectionDomain;
import io.burst.verbs.QueuePair;
import io.burst.verbs.QueuePairInit;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.ReceiveRequest;
import io.burst.verbs.SendRequest;
import io.burst.verbs.SharedReceiveQueue;
import io.burst.verbs.VerbsException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;

/**
 * Devices whose queue pairs copy messages to each other's memory, in order and at once; a message that finds no receive
 * fails the test that sent it. One lock guards everything.
 */
final class FakeFabric {

  /** Changes a message on its way; messages count from 1 on each queue pair. */
  interface Tamperer {
    void tamper(long message, byte[] bytes);
  }

  private record Memory(ByteBuffer buffer) {}

  private record Work(long id, long address, int lengthBytes) {}

  private record Done(long id, CompletionOpcode opcode, CompletionStatus status, int lengthBytes, int number) {}

  private final TreeMap<Long, Memory> memories = new TreeMap<>();
  private final Map<Integer, FakeQueuePair> queuePairs = new HashMap<>();
  private final List<AutoCloseable> open = new ArrayList<>();
  private Tamperer tamperer = (message, bytes) -> { };
  private long unacknowledged;
  private long nextAddress = 1L << 40;
  private int nextNumber = 0x11;

  void tamper(Tamperer by) {
    tamperer = by;
  }

  /** That message of each queue pair arrives, but its sender gives up on it once it has received the next one. */
  void loseAcknowledgement(long message) {
    unacknowledged = message;
  }

  /** What was created and not closed. */
  synchronized int leftOpen() {
    return open.size();
  }

  Device device(InetAddress... addresses) {
    return new FakeDevice(Arrays.stream(addresses).map(Gid::of).toList());
  }

  private synchronized byte[] read(long address, int lengthBytes) {
    byte[] bytes = new byte[lengthBytes];
    Map.Entry<Long, Memory> memory = memories.floorEntry(address);
    memory.getValue().buffer().get((int) (address - memory.getKey()), bytes);
    return bytes;
  }

  private synchronized void write(long address, byte[] bytes) {
    Map.Entry<Long, Memory> memory = memories.floorEntry(address);
    memory.getValue().buffer().put((int) (address - memory.getKey()), bytes);
  }

  private final class FakeDevice implements Device {

    private final List<Gid> gids;

    FakeDevice(List<Gid> gids) {
      this.gids = gids;
    }

    @Override
    public CompletionQueue createCompletionQueue(int capacity, Runnable listener) {
      throw new UnsupportedOperationException();
    }

    @Override
    public AsyncEvent pollEvent() {
      throw new UnsupportedOperationException();
    }

    @Override
    public String name() {
      return "fake";
    }

    @Override
    public PathMtu activeMtu() {
      return PathMtu.MTU_2048;
    }

    @Override
    public List<Gid> gids() {
      return gids;
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
      return opened(new FakeDomain());
    }

    @Override
    public CompletionQueue createCompletionQueue(int capacity) {
      return opened(new FakeCompletionQueue(capacity));
    }
  }

  private synchronized <T extends AutoCloseable> T opened(T resource) {
    open.add(resource);
    return resource;
  }

  private synchronized void closed(AutoCloseable resource) {
    open.remove(resource);
  }

  private final class FakeDomain implements ProtectionDomain {

    @Override
    public MemoryRegion registerMemory(long address, long lengthBytes, Set<AccessFlag> access) {
      throw new UnsupportedOperationException();
    }

    @Override
    public MemoryWindow allocateMemoryWindow() {
      throw new UnsupportedOperationException();
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int depth) {
      throw new UnsupportedOperationException();
    }

    @Override
    public AddressHandle createAddressHandle(AddressVector address) {
      throw new UnsupportedOperationException();
    }

    @Override
    public MemoryRegion registerMemory(ByteBuffer buffer, Set<AccessFlag> access) {
      synchronized (FakeFabric.this) {
        long address = nextAddress;
        nextAddress += buffer.capacity() + 4096L;
        memories.put(address, new Memory(buffer.duplicate()));
        return opened(new FakeRegion(address, buffer.capacity()));
      }
    }

    @Override
    public QueuePair createQueuePair(QueuePairInit init) {
      synchronized (FakeFabric.this) {
        FakeQueuePair queuePair = new FakeQueuePair(nextNumber++, init);
        queuePairs.put(queuePair.number, queuePair);
        return opened(queuePair);
      }
    }

    @Override
    public void close() {
      closed(this);
    }
  }

  private final class FakeRegion implements MemoryRegion {

    private final long address;
    private final long lengthBytes;

    FakeRegion(long address, long lengthBytes) {
      this.address = address;
      this.lengthBytes = lengthBytes;
    }

    @Override
    public void reregister(ByteBuffer buffer, Set<AccessFlag> access) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void reregister(ProtectionDomain domain, long address, long lengthBytes, Set<AccessFlag> access) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long address() {
      return address;
    }

    @Override
    public long lengthBytes() {
      return lengthBytes;
    }

    @Override
    public int localKey() {
      return 7;
    }

    @Override
    public int remoteKey() {
      return 8;
    }

    @Override
    public void close() {
      closed(this);
    }
  }

  private final class FakeCompletionQueue implements CompletionQueue {

    private final int capacity;
    private final Queue<Done> done = new ArrayDeque<>();

    FakeCompletionQueue(int capacity) {
      this.capacity = capacity;
    }

    private void add(Done entry) {
      if (done.size() == capacity) {
        throw new VerbsException("EOVERFLOW: completion queue");
      }
      done.add(entry);
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean poll(Completion into) {
      synchronized (FakeFabric.this) {
        Done entry = done.poll();
        if (entry == null) {
          return false;
        }
        into.workRequestId = entry.id();
        into.opcode = entry.opcode();
        into.status = entry.status();
        into.lengthBytes = entry.lengthBytes();
        into.queuePairNumber = entry.number();
        return true;
      }
    }

    @Override
    public int capacity() {
      return capacity;
    }

    @Override
    public void close() {
      closed(this);
    }
  }

  private final class FakeQueuePair implements QueuePair {

    private final int number;
    private final QueuePairInit init;
    private final Queue<Work> receives = new ArrayDeque<>();
    private QueuePairState state = QueuePairState.RESET;
    private int peer;
    private long messages;
    private Done givenUp;

    FakeQueuePair(int number, QueuePairInit init) {
      this.number = number;
      this.init = init;
    }

    @Override
    public void initialize(int queueKey) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void readyToReceive() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void readyToSend(int sendPsn) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void drain() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void resume() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void reset() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int number() {
      return number;
    }

    @Override
    public QueuePairState state() {
      synchronized (FakeFabric.this) {
        return state;
      }
    }

    private void step(QueuePairState from, QueuePairState to) {
      synchronized (FakeFabric.this) {
        if (state != from) {
          throw new VerbsException("EINVAL: " + state + " to " + to);
        }
        state = to;
      }
    }

    @Override
    public void initialize(Set<AccessFlag> remoteAccess) {
      step(QueuePairState.RESET, QueuePairState.INIT);
    }

    @Override
    public void readyToReceive(ReadyToReceive attributes) {
      step(QueuePairState.INIT, QueuePairState.READY_TO_RECEIVE);
      peer = attributes.destinationNumber();
    }

    @Override
    public void readyToSend(ReadyToSend attributes) {
      step(QueuePairState.READY_TO_RECEIVE, QueuePairState.READY_TO_SEND);
    }

    @Override
    public void fail() {
      synchronized (FakeFabric.this) {
        state = QueuePairState.ERROR;
      }
    }

    @Override
    public boolean postSend(SendRequest request) {
      synchronized (FakeFabric.this) {
        if (state != QueuePairState.READY_TO_SEND) {
          throw new VerbsException("EINVAL: send in " + state);
        }
        FakeQueuePair target = queuePairs.get(peer);
        messages++;
        CompletionStatus status = target == null || target.state.ordinal() < QueuePairState.READY_TO_RECEIVE.ordinal()
            ? CompletionStatus.RETRY_EXCEEDED
            : target.accept(request, messages);
        if (messages == unacknowledged) {
          givenUp = new Done(request.workRequestId, CompletionOpcode.SEND, CompletionStatus.RETRY_EXCEEDED, 0, number);
        } else {
          sendCompletions().add(new Done(request.workRequestId, CompletionOpcode.SEND, status, 0, number));
        }
        return true;
      }
    }

    private FakeCompletionQueue sendCompletions() {
      return (FakeCompletionQueue) init.sendCompletions();
    }

    private CompletionStatus accept(SendRequest request, long message) {
      Work receive = receives.poll();
      if (receive == null) {
        return CompletionStatus.RECEIVER_NOT_READY_RETRY_EXCEEDED;
      }
      byte[] bytes = read(request.buffers.address(0), (int) request.buffers.totalBytes());
      tamperer.tamper(message, bytes);
      write(receive.address(), bytes);
      ((FakeCompletionQueue) init.receiveCompletions()).add(new Done(
          receive.id(), CompletionOpcode.RECEIVE, CompletionStatus.SUCCESS, bytes.length, number));
      if (givenUp != null) {
        sendCompletions().add(givenUp);
        givenUp = null;
      }
      return CompletionStatus.SUCCESS;
    }

    @Override
    public boolean postReceive(ReceiveRequest request) {
      synchronized (FakeFabric.this) {
        if (state == QueuePairState.RESET) {
          throw new VerbsException("EINVAL: receive in RESET");
        }
        if (receives.size() == init.receiveDepth()) {
          return false;
        }
        receives.add(new Work(request.workRequestId, request.buffers.address(0), (int) request.buffers.totalBytes()));
        return true;
      }
    }

    @Override
    public void close() {
      synchronized (FakeFabric.this) {
        queuePairs.remove(number);
        closed(this);
      }
    }
  }
}
