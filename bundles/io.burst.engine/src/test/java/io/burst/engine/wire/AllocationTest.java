package io.burst.engine.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Reading and writing packets leaves no garbage, also when every packet comes in another buffer. */
class AllocationTest {
  private static final int WARM_UP_ROUNDS = 20_000;
  private static final int BATCHES = 10;
  private static final int BATCH_ROUNDS = 20_000;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final PacketWriter writer = new PacketWriter();
  private final RocePacket packet = new RocePacket();
  private final ByteBuffer[] buffers = new ByteBuffer[8];
  private long checksum;

  @Test
  void noneAfterWarmUp() throws Exception {
    for (int i = 0; i < buffers.length; i++) {
      buffers[i] = ByteBuffer.allocateDirect(4400);
    }
    Flow ipv4 = new Flow(InetAddress.getByName("10.0.0.1"), InetAddress.getByName("10.0.0.2"), 0xC001, 0);
    Flow ipv6 = new Flow(InetAddress.getByName("fd00::1"), InetAddress.getByName("fd00::2"), 0xC001, 0);
    allocated(ipv4, ipv6, WARM_UP_ROUNDS);
    // What the compiler leaves behind when it replaces code falls into one batch or other; garbage of ours into all.
    long[] batches = LongStream.range(0, BATCHES).map(batch -> allocated(ipv4, ipv6, BATCH_ROUNDS)).sorted().toArray();
    assertThat(batches[BATCHES / 2]).as("bytes a batch, sorted: %s", Arrays.toString(batches)).isZero();
    assertThat(checksum).isNotZero();
  }

  private long allocated(Flow ipv4, Flow ipv6, int rounds) {
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int round = 0; round < rounds; round++) {
      exchange((round & 1) == 0 ? ipv4 : ipv6, round);
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  private void exchange(Flow flow, int round) {
    ByteBuffer buffer = buffers[round & 7];
    writer.begin(buffer, 32, flow, Opcode.RC_WRITE_ONLY_IMMEDIATE, 0x11, round);
    writer.reth(round, 1, 1021).immediate(round).ackRequested(true);
    int lengthBytes = writer.end(1021, round);
    if (packet.wrap(buffer, 32, lengthBytes) != Verdict.OK) {
      throw new AssertionError("round " + round);
    }
    checksum += packet.psn() + packet.rethAddress() + packet.sourceLow() + packet.opcode().headerBytes();
  }
}
