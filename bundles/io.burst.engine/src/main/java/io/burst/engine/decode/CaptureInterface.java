package io.burst.engine.decode;

import java.nio.ByteBuffer;

/**
 * What a pcapng interface description says of the frames that refer to it. Immutable.
 *
 * @param snapBytes how much of a frame is kept at most; 0 for all of it
 * @param resolution the if_tsresol option: the negative power of 10, or with the highest bit set of 2, that a tick is
 * @param offsetSeconds the if_tsoffset option, added to all times
 */
record CaptureInterface(int linkType, long snapBytes, int resolution, long offsetSeconds) {
  private static final int OPTIONS = 8;
  private static final int OPTION_HEADER_BYTES = 4;
  private static final int END_OF_OPTIONS = 0;
  private static final int TIME_RESOLUTION = 9;
  private static final int TIME_OFFSET = 14;
  private static final int MICROSECONDS = 6;
  private static final int POWER_OF_TWO = 0x80;
  private static final long NS_PER_SECOND = 1_000_000_000L;
  private static final int NS_EXPONENT = 9;
  /** Ten to a higher power is no long. */
  private static final int LONGEST_EXPONENT = 18;

  /** Reads the body of an interface description; options that go beyond it are left alone. */
  static CaptureInterface read(ByteBuffer body, int bytes) {
    int resolution = MICROSECONDS;
    long offsetSeconds = 0;
    int option = OPTIONS;
    while (option + OPTION_HEADER_BYTES <= bytes && body.getShort(option) != END_OF_OPTIONS) {
      int code = body.getShort(option);
      int value = option + OPTION_HEADER_BYTES;
      int valueBytes = Short.toUnsignedInt(body.getShort(option + Short.BYTES));
      option = value + (valueBytes + 3 & ~3);
      if (option <= bytes && code == TIME_RESOLUTION && valueBytes == 1) {
        resolution = Byte.toUnsignedInt(body.get(value));
      } else if (option <= bytes && code == TIME_OFFSET && valueBytes == Long.BYTES) {
        offsetSeconds = body.getLong(value);
      }
    }
    int linkType = Short.toUnsignedInt(body.getShort(0));
    return new CaptureInterface(linkType, Integer.toUnsignedLong(body.getInt(4)), resolution, offsetSeconds);
  }

  /** How much of a frame of this length is there, where the file doesn't say. */
  long captured(long originalBytes) {
    return snapBytes == 0 ? originalBytes : Math.min(snapBytes, originalBytes);
  }

  long timeNs(long ticks) {
    return offsetSeconds * NS_PER_SECOND + ticksNs(ticks);
  }

  private long ticksNs(long ticks) {
    int exponent = resolution & ~POWER_OF_TWO;
    if ((resolution & POWER_OF_TWO) != 0) {
      return exponent < Long.SIZE ? (long) Math.scalb((double) ticks * NS_PER_SECOND, -exponent) : 0;
    }
    if (exponent <= NS_EXPONENT) {
      return ticks * powerOfTen(NS_EXPONENT - exponent);
    }
    int excess = exponent - NS_EXPONENT;
    return excess <= LONGEST_EXPONENT ? ticks / powerOfTen(excess) : 0;
  }

  private static long powerOfTen(int exponent) {
    long power = 1;
    for (int i = 0; i < exponent; i++) {
      power *= 10;
    }
    return power;
  }
}
