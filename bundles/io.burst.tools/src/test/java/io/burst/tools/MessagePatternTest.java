package io.burst.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessagePatternTest {

  private static byte[] message(MessagePattern pattern, int lengthBytes, long message) {
    ByteBuffer buffer = ByteBuffer.allocate(lengthBytes);
    pattern.fill(buffer, 0, lengthBytes, message);
    return buffer.array();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 8, 4095, 16384, 16385, 65537})
  void findsNoMismatchInWhatItWroteAndEveryFlippedByte(int lengthBytes) {
    MessagePattern pattern = new MessagePattern(42);
    ByteBuffer buffer = ByteBuffer.allocateDirect(lengthBytes + 13);
    pattern.fill(buffer, 13, lengthBytes, 3);
    assertThat(pattern.mismatch(buffer, 13, lengthBytes, 3)).isEqualTo(-1);
    for (int i = 0; i < lengthBytes; i += 1 + lengthBytes / 100) {
      byte right = buffer.get(13 + i);
      buffer.put(13 + i, (byte) (right ^ 1));
      assertThat(pattern.mismatch(buffer, 13, lengthBytes, 3)).isEqualTo(i);
      buffer.put(13 + i, right);
    }
  }

  @Test
  void differsBySeedMessageAndPlace() {
    byte[] bytes = message(new MessagePattern(1), 65536, 1);
    assertThat(message(new MessagePattern(2), 65536, 1)).isNotEqualTo(bytes);
    assertThat(message(new MessagePattern(1), 65536, 2)).isNotEqualTo(bytes);
    assertThat(message(new MessagePattern(1), 65536, 1)).isEqualTo(bytes);
    assertThat(Arrays.copyOfRange(bytes, 0, 16384)).isNotEqualTo(Arrays.copyOfRange(bytes, 16384, 32768));
  }

  @Test
  void startsThePagesOfOneMessageWithZero() {
    MessagePattern pattern = new MessagePattern(1, 5);
    byte[] plain = message(new MessagePattern(1), 20000, 5);
    for (int page = 0; page < plain.length; page += 4096) {
      plain[page] = 0;
    }
    assertThat(message(pattern, 20000, 5)).isEqualTo(plain);
    assertThat(message(pattern, 20000, 4)).isEqualTo(message(new MessagePattern(1), 20000, 4));
  }

  @Test
  void poisonsOnlyWhatItIsToldTo() {
    ByteBuffer buffer = ByteBuffer.allocate(20002);
    MessagePattern.poison(buffer, 1, 20000);
    byte[] expected = new byte[20002];
    Arrays.fill(expected, 1, 20001, MessagePattern.POISON);
    assertThat(buffer.array()).isEqualTo(expected);
  }
}
