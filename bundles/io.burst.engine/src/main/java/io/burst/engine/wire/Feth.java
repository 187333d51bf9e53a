package io.burst.engine.wire;

import java.nio.ByteBuffer;

/**
 * Flush extended transport header (IBTA annex A19, memory placement extensions).
 *
 * <pre>
 *  0  reserved (26) | selectivity level (2): 0 the range, 1 the whole region | placement type (4): 1 global visibility,
 *     2 persistence
 * </pre>
 */
final class Feth {
  static final int BYTES = 4;

  private static final int PLACEMENT_MASK = 0x0F;
  private static final int SELECTIVITY_SHIFT = 4;
  private static final int SELECTIVITY_MASK = 0x03;

  private Feth() {}

  static void write(ByteBuffer buffer, int offset, int placementType, int selectivityLevel) {
    int selectivity = (selectivityLevel & SELECTIVITY_MASK) << SELECTIVITY_SHIFT;
    buffer.putInt(offset, selectivity | placementType & PLACEMENT_MASK);
  }

  static int placementType(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset) & PLACEMENT_MASK;
  }

  static int selectivityLevel(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset) >> SELECTIVITY_SHIFT & SELECTIVITY_MASK;
  }
}
