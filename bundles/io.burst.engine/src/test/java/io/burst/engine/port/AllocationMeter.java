package io.burst.engine.port;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.burst.spi.Frame;
import io.burst.spi.NextHop;
import io.burst.spi.PacketPort;
import java.lang.management.ManagementFactory;

/** Counts what two ports allocate while they send to each other, receive, and poll in vain. */
final class AllocationMeter {

  private static final int WARM_UP_ROUNDS = 2000;
  private static final int MEASURED_ROUNDS = 2000;

  private AllocationMeter() {}

  static long allocatedBytes(PacketPort left, NextHop toRight, PacketPort right, NextHop toLeft, byte[] packet) {
    Frame[] out = Frames.allocate(32, 4200);
    Frame[] in = Frames.allocate(128, 4200);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = 0;
    long received = 0;
    for (int round = 0; round < WARM_UP_ROUNDS + MEASURED_ROUNDS; round++) {
      if (round == WARM_UP_ROUNDS) {
        before = threads.getCurrentThreadAllocatedBytes();
      }
      send(left, out, packet, toRight, round);
      send(right, out, packet, toLeft, round);
      for (int poll = 0; poll < 2; poll++) {
        received += left.receive(in, in.length, round) + right.receive(in, in.length, round);
      }
    }
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(received).isGreaterThan((long) MEASURED_ROUNDS * out.length);
    return allocated;
  }

  private static void send(PacketPort port, Frame[] frames, byte[] packet, NextHop hop, long nowNs) {
    for (Frame frame : frames) {
      Packets.fill(frame, packet, hop);
    }
    port.send(frames, frames.length, nowNs);
  }
}
