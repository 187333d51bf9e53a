package io.burst.engine.port;

import io.burst.linux.DescriptorSet;
import io.burst.spi.Frame;
import io.burst.spi.PacketPort;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Waits at a port's descriptor for packets, as a worker does. */
final class PortReader {

  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);

  private PortReader() {}

  /** That many packets; fewer only when the port then stays silent for ten seconds. */
  static List<byte[]> read(PacketPort port, int count) {
    Frame[] frames = Frames.allocate(200, 9000);
    List<byte[]> packets = new ArrayList<>();
    try (DescriptorSet readable = new DescriptorSet(port.descriptor())) {
      while (packets.size() < count && readable.await(PATIENCE_NS) > 0) {
        int received = port.receive(frames, Math.min(frames.length, count - packets.size()), System.nanoTime());
        for (int i = 0; i < received; i++) {
          packets.add(Packets.bytes(frames[i]));
        }
      }
    }
    return packets;
  }

  static Map<String, Long> counters(PacketPort port) {
    Map<String, Long> counters = new HashMap<>();
    port.counters(counters::put);
    return counters;
  }
}
