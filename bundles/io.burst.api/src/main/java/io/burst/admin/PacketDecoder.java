package io.burst.admin;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Reads RoCEv2 packets from capture files (pcap, pcapng). An OSGi service; safe for use by any thread. */
public interface PacketDecoder {

  /**
   * Hands over one line for each RoCEv2 packet, in the file's order; other traffic is passed over.
   *
   * @throws CaptureException when the file is not a capture
   * @throws IOException when it can't be read
   */
  DecodeSummary decode(Path file, Consumer<String> lines) throws IOException;
}
