package io.burst.itests.peer;

import java.util.Map;

/** What happens to packets: on the way from the guest by netem, on the way to it by BURST's fault port. */
enum Network {
  GOOD("pfifo limit 20000", Map.of()),
  LOSS("netem limit 20000 loss 2%", Map.of("fault.drop", 0.02)),
  REORDERING("netem limit 20000 delay 5ms reorder 95%", Map.of("fault.reorder", 0.05)),
  DUPLICATION("netem limit 20000 duplicate 1%", Map.of("fault.duplicate", 0.01));

  /** The guest's, for {@code tc qdisc}. */
  final String queueing;

  /** Settings of BURST's device. */
  final Map<String, ?> faults;

  Network(String queueing, Map<String, ?> faults) {
    this.queueing = queueing;
    this.faults = faults;
  }
}
