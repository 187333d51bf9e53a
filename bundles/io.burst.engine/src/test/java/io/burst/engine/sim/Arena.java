package io.burst.engine.sim;

import io.burst.engine.port.Frames;
import io.burst.engine.sim.model.Host;
import io.burst.linux.Memory;
import io.burst.spi.Frame;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/** The memory and the frames of one end, the same for run after run, each of which finds the memory filled alike. */
final class Arena {
  private static final int BYTES = 3 << 20;
  private static final int BATCH = 16;
  private static final byte[] FILLING = new byte[BYTES];

  static {
    new SplittableRandom(1).nextBytes(FILLING);
  }

  final Frame[] received = Frames.allocate(BATCH, Link.MTU_BYTES);
  final Frame[] sent = Frames.allocate(BATCH, Link.MTU_BYTES);

  private final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES + Long.BYTES).alignedSlice(Long.BYTES);
  private final byte[] expected = new byte[BYTES];
  private int used;

  long address() {
    return Memory.addressOf(memory);
  }

  /** Bytes for a payload. */
  static byte[] someBytes(SplittableRandom random, int count) {
    int from = random.nextInt(BYTES - count);
    return Arrays.copyOfRange(FILLING, from, from + count);
  }

  /** Starts a run. */
  Host fill() {
    used = 0;
    memory.put(0, FILLING);
    System.arraycopy(FILLING, 0, expected, 0, BYTES);
    return new Host(memory.slice(0, BYTES), expected);
  }

  /** Takes memory that starts at a multiple of 8 and has some before and behind it that is nobody's. */
  int take(int bytes) {
    int start = (used + 2 * Long.BYTES - 1) / Long.BYTES * Long.BYTES;
    used = start + bytes;
    if (used + Long.BYTES > BYTES) {
      throw new IllegalStateException("a run takes more memory than there is: give it more");
    }
    return start;
  }
}
