package io.burst.engine.qp;

import static io.burst.engine.qp.Packets.packet;
import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Opcode;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.PathMtu;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.SendOpcode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** READ responses that hold other than they must: the READ fails, and nothing of them arrives. */
class ReadResponsesTest {
  private static final String LOCAL = "192.0.2.1";
  private static final String REMOTE = "192.0.2.2";
  private static final int NUMBER = 0xB1;
  private static final int MTU = 1024;
  private static final int LAST_BYTES = 76;

  private final OneQueuePair queuePair = new OneQueuePair(NUMBER, LOCAL, REMOTE);

  @BeforeEach
  void ask() {
    queuePair.connect(0xB2, 0, 0, PathMtu.MTU_1024, 14, 7, 7);
    queuePair.post(
        request -> {
          request.opcode = SendOpcode.READ;
          request.buffers.add(queuePair.region.address(), MTU + LAST_BYTES, queuePair.region.key());
        });
    assertThat(queuePair.transmit(0).opcode()).isEqualTo(Opcode.RC_READ_REQUEST);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, MTU - 4, MTU - 1, MTU + 1, MTU + LAST_BYTES})
  void aFirstThatDoesNotFillTheMtu(int bytes) {
    receive(Opcode.RC_READ_RESPONSE_FIRST, 0, bytes);
    assertFailed(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, LAST_BYTES - 1, LAST_BYTES + 1, MTU})
  void aLastOfAnotherLength(int bytes) {
    receive(Opcode.RC_READ_RESPONSE_FIRST, 0, MTU);
    assertThat(queuePair.poll()).isNull();
    receive(Opcode.RC_READ_RESPONSE_LAST, 1, bytes);
    assertFailed(MTU);
  }

  private void receive(Opcode opcode, int psn, int bytes) {
    queuePair.receive(packet(REMOTE, LOCAL, opcode, NUMBER, psn, w -> w.aeth(Aeth.ACK, 1), new byte[bytes]), 0);
  }

  private void assertFailed(int arrivedBytes) {
    assertThat(queuePair.poll().status).isEqualTo(CompletionStatus.BAD_RESPONSE);
    assertThat(queuePair.poll()).isNull();
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.ERROR);
    for (int i = arrivedBytes; i < MTU + LAST_BYTES; i++) {
      assertThat(queuePair.memory.get(i)).isEqualTo(OneQueuePair.POISON);
    }
  }
}
