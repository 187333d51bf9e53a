package io.burst.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DescriptorSetTest {

  @Test
  void tellsWhetherAnEventWasSignalled() throws Exception {
    try (EventDescriptor event = new EventDescriptor();
        DescriptorSet set = new DescriptorSet(-1, event.descriptor())) {
      assertThat(set.await(0)).isZero();
      event.signal();
      event.signal();
      assertThat(set.await(Long.MAX_VALUE)).isEqualTo(1);
      assertThat(set.await(-1)).isEqualTo(1);
      event.drain();
      assertThat(set.await(0)).isZero();
      event.drain();
    }
  }

  @Test
  void anotherThreadWakesItUp() throws Exception {
    try (EventDescriptor event = new EventDescriptor();
        DescriptorSet set = new DescriptorSet(event.descriptor(), -1)) {
      Thread signaller = new Thread(event::signal);
      signaller.start();
      assertThat(set.await(TimeUnit.SECONDS.toNanos(30))).isEqualTo(1);
      signaller.join();
    }
  }

  @Test
  void waitsForTheWholeTimeOut() throws Exception {
    long timeoutNs = TimeUnit.MILLISECONDS.toNanos(20) + 1;
    try (EventDescriptor event = new EventDescriptor();
        DescriptorSet set = new DescriptorSet(event.descriptor())) {
      long startNs = System.nanoTime();
      assertThat(set.await(timeoutNs)).isZero();
      assertThat(System.nanoTime() - startNs).isGreaterThanOrEqualTo(timeoutNs);
    }
  }

  @Test
  void countsEachThatIsReady() throws Exception {
    try (EventDescriptor first = new EventDescriptor();
        EventDescriptor second = new EventDescriptor();
        DescriptorSet set = new DescriptorSet(first.descriptor(), second.descriptor())) {
      first.signal();
      second.signal();
      assertThat(set.await(0)).isEqualTo(2);
    }
  }
}
