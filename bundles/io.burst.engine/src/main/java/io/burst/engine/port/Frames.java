package io.burst.engine.port;

import io.burst.linux.Memory;
import io.burst.spi.Frame;
import java.nio.ByteBuffer;

/** Makes frames. Stateless, for any thread. */
public final class Frames {

  private static final int CACHE_LINE_BYTES = 64;

  private Frames() {}

  /**
   * Frames cut from one direct slab, each at the start of a cache line.
   *
   * @param capacityBytes the largest IP packet that fits one
   */
  public static Frame[] allocate(int count, int capacityBytes) {
    int frameBytes = Frame.HEADROOM_BYTES + capacityBytes;
    int strideBytes = Math.addExact(frameBytes, CACHE_LINE_BYTES - 1) & -CACHE_LINE_BYTES;
    int slabBytes = Math.addExact(Math.multiplyExact(count, strideBytes), CACHE_LINE_BYTES);
    ByteBuffer slab = ByteBuffer.allocateDirect(slabBytes).alignedSlice(CACHE_LINE_BYTES);
    Frame[] frames = new Frame[count];
    for (int i = 0; i < count; i++) {
      ByteBuffer buffer = slab.slice(i * strideBytes, frameBytes);
      frames[i] = new Frame(buffer, Memory.addressOf(buffer));
    }
    return frames;
  }
}
