package io.burst.admin;

import java.util.List;
import java.util.Map;

/**
 * One configured device as an administrator sees it; an OSGi service for each configuration {@code
 * io.burst.device~NAME}, whether it could be opened or not. Safe for use by any thread.
 */
public interface DeviceView {

  String name();

  /** The port's kind, its interface and faults, in one line. */
  String port();

  /** Null while the device is up; else one line that says what is wrong and what to do. */
  String failure();

  /** Empty while it isn't up. */
  List<String> gids();

  /** Link MTU and active path MTU, 0 while it isn't up. */
  int linkMtuBytes();

  int activeMtuBytes();

  List<QueuePairView> queuePairs();

  /** Counters by name, in a fixed order; those that the kernel has too are named as in its hw_counters. */
  Map<String, Long> counters();
}
