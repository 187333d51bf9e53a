package io.burst.tools;

import io.burst.admin.DeviceView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a container of the demo tells about itself.
 *
 * @param retransmittedPackets packets that its device sent again
 * @param residentKib its JVM's VmRSS
 */
record DemoStatus(long retransmittedPackets, long residentKib) {

  private static final String RESIDENT = "VmRSS:";

  static DemoStatus of(DeviceView view) {
    return new DemoStatus(view.counters().getOrDefault("retransmitted_pkts", 0L), residentSetKib());
  }

  private static long residentSetKib() {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith(RESIDENT))
          .mapToLong(line -> Long.parseLong(line.substring(RESIDENT.length()).replace("kB", "").strip()))
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return 0;
    }
  }

  String text() {
    return retransmittedPackets + " " + residentKib;
  }

  static DemoStatus parse(String[] words) {
    return new DemoStatus(Long.parseLong(words[0]), Long.parseLong(words[1]));
  }
}
