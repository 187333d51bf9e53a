package io.burst.engine.sim;

import io.burst.spi.Frame;
import io.burst.spi.NextHop;
import io.burst.spi.PacketPort;
import java.net.InetAddress;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** A link between two ports under a virtual clock: each packet arrives after the latency, in the order sent. */
final class Wire {
  private static final int MTU_BYTES = 4300;

  private final long latencyNs;
  private long sequence;

  Wire(long latencyNs) {
    this.latencyNs = latencyNs;
  }

  /** Makes both ends. */
  End[] ends(InetAddress first, InetAddress second) {
    End a = new End(first);
    End b = new End(second);
    a.peer = b;
    b.peer = a;
    return new End[] {a, b};
  }

  private record Packet(long arrivalNs, long sequence, byte[] bytes) {}

  /** One port of the link. */
  final class End implements PacketPort, NextHop {
    private final PriorityQueue<Packet> arriving =
        new PriorityQueue<>(Comparator.comparingLong(Packet::arrivalNs).thenComparingLong(Packet::sequence));
    private final InetAddress address;
    private End peer;

    private End(InetAddress address) {
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
        ((End) frames[i].nextHop).arriving.add(new Packet(nowNs + latencyNs, sequence++, bytes));
      }
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
