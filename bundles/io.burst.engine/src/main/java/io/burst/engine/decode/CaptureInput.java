package io.burst.engine.decode;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads a capture file piece by piece, in its writer's byte order. Owned by the thread that decodes the file. */
final class CaptureInput {
  /** Room for the largest fixed header, and for more interface options than anybody writes. */
  static final int HEADER_MAXIMUM_BYTES = 4096;

  private final InputStream in;
  private final ByteBuffer header = ByteBuffer.allocate(HEADER_MAXIMUM_BYTES);
  private int gotBytes;

  CaptureInput(InputStream in) {
    this.in = in;
  }

  void order(ByteOrder order) {
    header.order(order);
  }

  /** The bytes of the last {@link #read(int)}. */
  ByteBuffer header() {
    return header;
  }

  /** Reads a header; false when the file ends before or within. */
  boolean read(int bytes) throws IOException {
    gotBytes = in.readNBytes(header.array(), 0, bytes);
    return gotBytes == bytes;
  }

  /** Whether the last {@link #read(int)} was at the very end of the file. */
  boolean gotNothing() {
    return gotBytes == 0;
  }

  /** Reads a frame's bytes to the start of the buffer; false when the file ends within. */
  boolean read(ByteBuffer data, int bytes) throws IOException {
    return in.readNBytes(data.array(), 0, bytes) == bytes;
  }

  /** False when the file ends within. */
  boolean skip(long bytes) throws IOException {
    long left = bytes;
    while (left > 0) {
      long skipped = in.skip(left);
      if (skipped > 0) {
        left -= skipped;
      } else if (in.read() >= 0) {
        left--;
      } else {
        return false;
      }
    }
    return true;
  }
}
