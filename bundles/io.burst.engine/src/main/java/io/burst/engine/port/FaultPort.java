package io.burst.engine.port;

import io.burst.spi.Frame;
import io.burst.spi.NextHop;
import io.burst.spi.PacketPort;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ObjLongConsumer;

/**
 * Wraps a port and loses, doubles, reorders, corrupts and delays what is sent through it, as its configuration and seed
 * say; time is what its caller says. What it keeps back it copies, into frames made beforehand: when all are taken a
 * packet goes out at once, unharmed and uncounted. Owned by the worker that owns the port within.
 */
public final class FaultPort implements PacketPort {

  private static final int HELD_FRAMES = 256;
  private static final int LARGEST_HELD_BYTES = 9216;
  private static final int BATCH = 64;
  /** A reordered packet waits for up to this many later ones, and not longer than that. */
  private static final int MAX_OVERTAKEN = 8;

  private static final long REORDER_NS = 1_000_000;

  private final PacketPort port;
  private final FaultConfig config;
  private long randomState;

  private final Frame[] spare;
  private int spareCount;

  /** What is held, in the order of its arrival: when it goes at the latest, and how many packets still overtake it. */
  private final Frame[] held = new Frame[HELD_FRAMES];

  private final long[] heldUntilNs = new long[HELD_FRAMES];
  private final int[] heldOvertakers = new int[HELD_FRAMES];
  private int heldCount;

  private final Frame[] batch = new Frame[BATCH];
  private final boolean[] batchIsCopy = new boolean[BATCH];
  private int batchCount;

  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong duplicated = new AtomicLong();
  private final AtomicLong reordered = new AtomicLong();
  private final AtomicLong corrupted = new AtomicLong();
  private final AtomicLong delayed = new AtomicLong();

  public FaultPort(PacketPort port, FaultConfig config) {
    this.port = port;
    this.config = config;
    randomState = config.seed();
    spare = Frames.allocate(HELD_FRAMES, Math.min(port.mtuBytes(), LARGEST_HELD_BYTES));
    spareCount = HELD_FRAMES;
  }

  @Override
  public void send(Frame[] frames, int count, long nowNs) {
    releaseDue(nowNs);
    for (int i = 0; i < count; i++) {
      if (happens(config.drop())) {
        increment(dropped);
        continue;
      }
      pass(frames[i], nowNs);
      if (happens(config.duplicate())) {
        increment(duplicated);
        pass(frames[i], nowNs);
      }
    }
    flush(nowNs);
  }

  @Override
  public int receive(Frame[] frames, int limit, long nowNs) {
    if (heldCount > 0) {
      releaseDue(nowNs);
      flush(nowNs);
    }
    return port.receive(frames, limit, nowNs);
  }

  @Override
  public long nextDeadlineNs() {
    long deadlineNs = port.nextDeadlineNs();
    for (int i = 0; i < heldCount; i++) {
      deadlineNs = Math.min(deadlineNs, heldUntilNs[i]);
    }
    return deadlineNs;
  }

  /** One copy of a packet on its way: through a fault that alters it, then into one that keeps it, or out. */
  private void pass(Frame frame, long nowNs) {
    Frame altered = happens(config.corrupt()) ? copy(frame) : null;
    if (altered != null) {
      flipOneBit(altered);
      increment(corrupted);
    }
    boolean late = happens(config.delay());
    boolean overtaken = happens(config.reorder());
    Frame kept = late || overtaken ? keepable(frame, altered) : null;
    if (kept == null) {
      append(altered == null ? frame : altered, altered != null, nowNs);
      overtake(nowNs);
    } else if (late) {
      increment(delayed);
      hold(kept, nowNs + config.delayNs(), Integer.MAX_VALUE);
    } else {
      increment(reordered);
      hold(kept, nowNs + REORDER_NS, 1 + (int) Long.remainderUnsigned(random(), MAX_OVERTAKEN));
    }
  }

  private Frame keepable(Frame frame, Frame altered) {
    return altered == null ? copy(frame) : altered;
  }

  /** Null when no spare frame is left or it is too small. */
  private Frame copy(Frame frame) {
    if (spareCount == 0 || frame.lengthBytes > spare[spareCount - 1].capacityBytes()) {
      return null;
    }
    Frame copy = spare[--spareCount];
    copy.buffer.put(Frame.HEADROOM_BYTES, frame.buffer, Frame.HEADROOM_BYTES, frame.lengthBytes);
    copy.lengthBytes = frame.lengthBytes;
    copy.nextHop = frame.nextHop;
    return copy;
  }

  private void flipOneBit(Frame frame) {
    int bit = (int) Long.remainderUnsigned(random(), (long) frame.lengthBytes * Byte.SIZE);
    int index = Frame.HEADROOM_BYTES + bit / Byte.SIZE;
    frame.buffer.put(index, (byte) (frame.buffer.get(index) ^ 1 << bit % Byte.SIZE));
  }

  private void hold(Frame frame, long untilNs, int overtakers) {
    held[heldCount] = frame;
    heldUntilNs[heldCount] = untilNs;
    heldOvertakers[heldCount++] = overtakers;
  }

  /** A packet went out: lets go what has waited for enough of them. */
  private void overtake(long nowNs) {
    int kept = 0;
    for (int i = 0; i < heldCount; i++) {
      boolean reordered = heldOvertakers[i] != Integer.MAX_VALUE;
      if (reordered && --heldOvertakers[i] == 0) {
        append(held[i], true, nowNs);
      } else {
        keep(i, kept++);
      }
    }
    heldCount = kept;
  }

  private void releaseDue(long nowNs) {
    int kept = 0;
    for (int i = 0; i < heldCount; i++) {
      if (heldUntilNs[i] <= nowNs) {
        append(held[i], true, nowNs);
      } else {
        keep(i, kept++);
      }
    }
    heldCount = kept;
  }

  private void keep(int from, int to) {
    held[to] = held[from];
    heldUntilNs[to] = heldUntilNs[from];
    heldOvertakers[to] = heldOvertakers[from];
  }

  private void append(Frame frame, boolean isCopy, long nowNs) {
    if (batchCount == BATCH) {
      flush(nowNs);
    }
    batch[batchCount] = frame;
    batchIsCopy[batchCount++] = isCopy;
  }

  private void flush(long nowNs) {
    if (batchCount == 0) {
      return;
    }
    port.send(batch, batchCount, nowNs);
    for (int i = 0; i < batchCount; i++) {
      if (batchIsCopy[i]) {
        spare[spareCount++] = batch[i];
      }
      batch[i] = null;
    }
    batchCount = 0;
  }

  private boolean happens(double probability) {
    return probability > 0 && (random() >>> 11) * 0x1p-53 < probability;
  }

  /** SplitMix64. */
  private long random() {
    randomState += 0x9e3779b97f4a7c15L;
    long z = randomState;
    z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }

  private static void increment(AtomicLong counter) {
    counter.setOpaque(counter.getPlain() + 1);
  }

  @Override
  public void counters(ObjLongConsumer<String> sink) {
    port.counters(sink);
    sink.accept("fault_dropped", dropped.getOpaque());
    sink.accept("fault_duplicated", duplicated.getOpaque());
    sink.accept("fault_reordered", reordered.getOpaque());
    sink.accept("fault_corrupted", corrupted.getOpaque());
    sink.accept("fault_delayed", delayed.getOpaque());
  }

  @Override
  public int mtuBytes() {
    return port.mtuBytes();
  }

  @Override
  public List<InetAddress> addresses() {
    return port.addresses();
  }

  @Override
  public NextHop resolve(InetAddress local, InetAddress remote) throws IOException {
    return port.resolve(local, remote);
  }

  @Override
  public int udpSourcePort(int flowPort) {
    return port.udpSourcePort(flowPort);
  }

  @Override
  public int descriptor() {
    return port.descriptor();
  }

  @Override
  public void close() {
    port.close();
  }
}
