package io.burst.engine.decode;

import java.nio.ByteBuffer;

/** One frame of a capture file, overwritten by the next. Owned by the thread that decodes the file. */
final class CaptureRecord {
  /** The largest snap length that capturing programs use; a larger record is garbage. */
  static final int MAXIMUM_BYTES = 262_144;

  final ByteBuffer data = ByteBuffer.allocate(MAXIMUM_BYTES);
  int capturedBytes;
  /** Length of the frame on the link, of which only the beginning may have been captured. */
  long originalBytes;
  int linkType;
  /** Since 1970, or since whatever the capturing program counted from. */
  long timeNs;
}
