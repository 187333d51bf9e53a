package io.burst.engine.decode;

import io.burst.admin.CaptureException;
import java.io.IOException;

/**
 * The frames of a capture file, in their order. Whatever is in the file, nothing but IOException comes out. Owned by
 * the thread that decodes the file.
 */
interface CaptureReader {
  /** Reads the next frame; false at the end, or where the file is damaged and nothing behind can be trusted. */
  boolean next(CaptureRecord record) throws IOException;

  /** What is wrong with the file at the place where reading ended, or null. */
  String damage();

  /** A reader for the format that the file's first bytes announce. */
  static CaptureReader open(CaptureInput input) throws IOException {
    if (!input.read(Integer.BYTES)) {
      throw new CaptureException(input.gotNothing() ? "is empty" : "is no pcap or pcapng file");
    }
    int magic = input.header().getInt(0);
    if (magic == PcapngReader.SECTION_HEADER) {
      return new PcapngReader(input);
    }
    return new PcapReader(input, magic);
  }
}
