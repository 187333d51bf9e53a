package io.burst.engine.qp;

import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.wire.Opcode;
import org.junit.jupiter.api.Test;

/** What is kept of READs and atomics, so that their answers can be sent again. */
class ResponderResourcesTest {
  private static final int PSN = 0xFF_FFFF;

  private final ResponderResources resources = new ResponderResources(4);

  /** Asked for again from the third packet on, before the second was sent: the second is still owed. */
  @Test
  void aReplaySkipsNothingThatWasStillToBeSent() {
    long entry = add(Opcode.RC_READ_REQUEST, 3);
    assertThat(resources.takePacket(entry)).isZero();
    resources.replay(entry, 2, 3);
    assertThat(resources.takePacket(entry)).isEqualTo(1);
    assertThat(resources.takePacket(entry)).isEqualTo(2);
    assertThat(resources.pending()).isEqualTo(ResponderResources.NONE);
  }

  /** After 2^24 PSNs one that is still kept has the PSN of a new one; a duplicate is of the new one. */
  @Test
  void theNewestOfAPsnIsMeant() {
    add(Opcode.RC_FETCH_ADD, 1);
    add(Opcode.RC_READ_REQUEST, 3);
    add(Opcode.RC_FETCH_ADD, 1);
    assertThat(resources.find(Opcode.RC_FETCH_ADD, PSN)).as("the third, counted from 0").isEqualTo(2);
  }

  private long add(Opcode opcode, int packets) {
    resources.add(opcode, PSN, packets, 0, 0, 0, 0, 0);
    return resources.find(opcode, PSN);
  }
}
