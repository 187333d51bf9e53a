package io.burst.engine.qp;

import static org.assertj.core.api.Assertions.assertThat;

import io.burst.verbs.QueuePairState;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/** All that a packet could change in a queue pair under test, to be compared with what is there after it. */
final class Snapshot {
  private final OneQueuePair queuePair;
  private final byte[] memory;
  private final long[] counts;
  private final QueuePairState state;
  private final int receivePsn;
  private final int sendPsn;
  private final int outstandingSends;
  private final int outstandingReceives;

  Snapshot(OneQueuePair queuePair) {
    this.queuePair = queuePair;
    memory = memory();
    counts = counts();
    state = queuePair.connection.state();
    receivePsn = queuePair.connection.receivePsn();
    sendPsn = queuePair.connection.sendPsn();
    outstandingSends = queuePair.connection.outstandingSends();
    outstandingReceives = queuePair.receives.outstanding();
  }

  /** One packet came, and this was counted besides it; nothing else happened, and nothing is to be sent or polled. */
  void assertOnlyCounted(Counter counter) {
    assertThat(changes()).isEqualTo(Map.of(Counter.RCVD_PKTS, 1L, counter, 1L));
    assertThat(queuePair.poll()).isNull();
    assertThat(queuePair.transmit(0)).isNull();
    assertNothingChanged();
  }

  void assertNothingChanged() {
    assertMemoryUnchanged();
    assertThat(queuePair.connection.state()).isEqualTo(state);
    assertThat(queuePair.connection.receivePsn()).isEqualTo(receivePsn);
    assertThat(queuePair.connection.sendPsn()).isEqualTo(sendPsn);
    assertThat(queuePair.connection.outstandingSends()).isEqualTo(outstandingSends);
    assertThat(queuePair.receives.outstanding()).isEqualTo(outstandingReceives);
  }

  void assertMemoryUnchanged() {
    assertThat(Arrays.mismatch(memory(), memory)).as("first byte that changed").isEqualTo(-1);
  }

  /** What was counted since. */
  Map<Counter, Long> changes() {
    long[] now = counts();
    return Arrays.stream(Counter.values())
        .filter(counter -> now[counter.ordinal()] != counts[counter.ordinal()])
        .collect(Collectors.toMap(counter -> counter, counter -> now[counter.ordinal()] - counts[counter.ordinal()]));
  }

  private byte[] memory() {
    byte[] bytes = new byte[queuePair.memory.capacity()];
    queuePair.memory.get(0, bytes);
    return bytes;
  }

  private long[] counts() {
    return Arrays.stream(Counter.values()).mapToLong(queuePair.counters::get).toArray();
  }
}
