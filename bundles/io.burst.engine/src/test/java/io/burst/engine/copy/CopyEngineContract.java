package io.burst.engine.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burst.linux.Memory;
import io.burst.spi.CopyEngine;
import io.burst.spi.CopyResult;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every copy engine must do; a test of one extends this. */
abstract class CopyEngineContract {
  private static final int AREA_BYTES = 1 << 16;

  private final ByteBuffer source = ByteBuffer.allocateDirect(AREA_BYTES);
  private final ByteBuffer destination = ByteBuffer.allocateDirect(AREA_BYTES);
  private final CopyResult result = new CopyResult();
  private CopyEngine engine;

  abstract CopyEngine open();

  @BeforeEach
  void start() {
    engine = open();
    new SplittableRandom(1).ints(AREA_BYTES / Integer.BYTES).forEach(source::putInt);
  }

  @AfterEach
  void stop() {
    engine.close();
  }

  @Test
  void bytesAreThereWhenACopyComesBack() {
    int[] lengths = {1, 7, 8, 64, 4095, 4096, 9000};
    int offset = 0;
    for (int bytes : lengths) {
      copy(offset, offset + 3, bytes, false, 42);
      engine.submit();
      assertThat(await()).isEqualTo(42);
      assertThat(result.failed).isFalse();
      assertThat(destination.slice(offset + 3, bytes)).isEqualTo(source.slice(offset, bytes));
      assertThat(destination.get(offset + 2)).isZero();
      assertThat(destination.get(offset + 3 + bytes)).isZero();
      offset += bytes + 8;
    }
    assertThat(engine.poll(result)).isFalse();
  }

  @Test
  void asManyAsItSaysAreUnderWayAndEachComesBackOnce() {
    for (int round = 0; round < 3; round++) {
      for (int ticket = 0; ticket < engine.capacity(); ticket++) {
        copy(ticket * 16, ticket * 16, 16, false, ticket);
      }
      assertThatThrownBy(() -> copy(0, 0, 16, false, 0)).isInstanceOf(IllegalStateException.class);
      engine.submit();
      BitSet back = new BitSet();
      for (int i = 0; i < engine.capacity(); i++) {
        int ticket = (int) await();
        assertThat(back.get(ticket)).isFalse();
        back.set(ticket);
      }
      assertThat(back.cardinality()).isEqualTo(engine.capacity());
      assertThat(engine.poll(result)).isFalse();
    }
    assertThat(destination.slice(0, engine.capacity() * 16)).isEqualTo(source.slice(0, engine.capacity() * 16));
  }

  /** Of copies to one place the last one stays, if it is fenced. */
  @Test
  void aFencedCopyComesAfterThoseBeforeIt() {
    for (int round = 0; round < 100; round++) {
      copy(0, 0, 8192, false, 1);
      copy(8192, 100, 64, true, 2);
      copy(16384, 120, 8, true, 3);
      engine.submit();
      for (int i = 0; i < 3; i++) {
        await();
      }
      assertThat(destination.slice(100, 20)).isEqualTo(source.slice(8192, 20));
      assertThat(destination.slice(120, 8)).isEqualTo(source.slice(16384, 8));
      assertThat(destination.slice(128, 36)).isEqualTo(source.slice(8192 + 28, 36));
    }
  }

  private void copy(int from, int to, int bytes, boolean fenced, long ticket) {
    engine.enqueue(Memory.addressOf(source) + from, Memory.addressOf(destination) + to, bytes, fenced, ticket);
  }

  private long await() {
    while (!engine.poll(result)) {
      Thread.onSpinWait();
    }
    return result.ticket;
  }
}
