package io.burst.engine.sim;

import io.burst.spi.Frame;
import io.burst.spi.NextHop;
import io.burst.spi.PacketPort;
import java.net.InetAddress;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;

/** A faulty link between two ports under a virtual clock. Belongs to the thread of its run. */
final class Link {
  static final int MTU_BYTES = 4300;
  private static final int IPV6_BYTES = 40;
  private static final int IPV4_BYTES = 20;
  private static final int UDP_BYTES = 8;
  private static final int QPN_OFFSET = 4;
  private static final int PSN_OFFSET = 8;

  private final SplittableRandom random;
  private final Faults faults;
  private final Histogram histogram;
  /** READ requests and atomics that were sent. */
  private final Set<Long> requests = new HashSet<>();
  private long sequence;

  Link(SplittableRandom random, Faults faults, Histogram histogram) {
    this.random = random;
    this.faults = faults;
    this.histogram = histogram;
  }

  /** Makes both ends. */
  Port[] ports(InetAddress first, InetAddress second) {
    Port a = new Port(first);
    Port b = new Port(second);
    a.peer = b;
    b.peer = a;
    return new Port[] {a, b};
  }

  private boolean happens(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  /** Tells how often what has an answer of its own was asked for again. */
  private void countRepeated(byte[] packet) {
    int bth = (packet[0] >> 4 == 4 ? IPV4_BYTES : IPV6_BYTES) + UDP_BYTES;
    String name =
        switch (packet[bth]) {
          case 0x0C -> "READ";
          case 0x13, 0x14 -> "atomic";
          case 0x1D -> "ATOMIC_WRITE";
          default -> null;
        };
    long identity = (long) int24(packet, bth + QPN_OFFSET + 1) << 24 | int24(packet, bth + PSN_OFFSET + 1);
    if (name != null && !requests.add(identity)) {
      histogram.add("repeated requests", name);
    }
  }

  private static int int24(byte[] packet, int offset) {
    return (packet[offset] & 0xFF) << 16 | (packet[offset + 1] & 0xFF) << 8 | packet[offset + 2] & 0xFF;
  }

  private record Packet(long arrivalNs, long sequence, byte[] bytes) {}

  /** One port of the link. */
  final class Port implements PacketPort, NextHop {
    private final PriorityQueue<Packet> arriving =
        new PriorityQueue<>(Comparator.comparingLong(Packet::arrivalNs).thenComparingLong(Packet::sequence));
    private final InetAddress address;
    private Port peer;

    private Port(InetAddress address) {
      this.address = address;
    }

    @Override
    public int mtuBytes() {
      return MTU_BYTES;
    }

    @Override
    public List<InetAddress> addresses() {
      return List.of(address);
    }

    @Override
    public NextHop resolve(InetAddress local, InetAddress remote) {
      return peer;
    }

    @Override
    public int receive(Frame[] frames, int limit, long nowNs) {
      int count = 0;
      while (count < limit && !arriving.isEmpty() && arriving.peek().arrivalNs() <= nowNs) {
        byte[] bytes = arriving.remove().bytes();
        frames[count].buffer.put(Frame.HEADROOM_BYTES, bytes);
        frames[count].lengthBytes = bytes.length;
        count++;
      }
      return count;
    }

    @Override
    public void send(Frame[] frames, int count, long nowNs) {
      for (int i = 0; i < count; i++) {
        byte[] bytes = new byte[frames[i].lengthBytes];
        frames[i].buffer.get(Frame.HEADROOM_BYTES, bytes);
        countRepeated(bytes);
        if (happens(faults.drop())) {
          histogram.add("faults", "drop");
          continue;
        }
        deliver(bytes, nowNs);
        if (happens(faults.duplicate())) {
          histogram.add("faults", "duplicate");
          deliver(bytes, nowNs + random.nextLong(faults.latencyNs()));
        }
      }
    }

    private void deliver(byte[] bytes, long nowNs) {
      byte[] arrived = bytes;
      if (happens(faults.corrupt())) {
        histogram.add("faults", "corrupt");
        arrived = bytes.clone();
        arrived[random.nextInt(arrived.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
      }
      long arrivalNs = nowNs + faults.latencyNs();
      if (happens(faults.reorder())) {
        histogram.add("faults", "reorder");
        arrivalNs += random.nextLong(2 * faults.latencyNs());
      }
      if (happens(faults.delay())) {
        histogram.add("faults", "delay");
        arrivalNs += random.nextLong(faults.delayNs());
      }
      peer.arriving.add(new Packet(arrivalNs, sequence++, arrived));
    }

    @Override
    public long nextDeadlineNs() {
      return arriving.isEmpty() ? Long.MAX_VALUE : arriving.peek().arrivalNs();
    }

    @Override
    public int descriptor() {
      return -1;
    }

    @Override
    public void close() {
      arriving.clear();
    }
  }
}
