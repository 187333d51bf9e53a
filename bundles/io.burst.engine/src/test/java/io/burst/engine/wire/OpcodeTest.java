package io.burst.engine.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Against the tables of IBTA volume 1, 9.2 and annexes A17 and A19, written down here a second time. */
class OpcodeTest {
  private static final String EXPECTED = """
      00 12 first payload takes
      01 12 payload
      02 12 last payload completes
      03 16 last payload completes
      04 12 first last payload takes completes
      05 16 first last payload takes completes
      06 28 first payload
      07 12 payload
      08 12 last payload
      09 16 last payload takes completes
      0a 28 first last payload
      0b 32 first last payload takes completes
      0c 28 first last
      0d 16 first payload
      0e 12 payload
      0f 16 last payload
      10 16 first last payload
      11 16 first last
      12 24 first last
      13 40 first last
      14 40 first last
      16 16 last payload completes
      17 16 first last payload takes completes
      1c 32 first last
      1d 28 first last payload
      20 12 first payload takes
      21 12 payload
      22 12 last payload completes
      23 16 last payload completes
      24 12 first last payload takes completes
      25 16 first last payload takes completes
      26 28 first payload
      27 12 payload
      28 12 last payload
      29 16 last payload takes completes
      2a 28 first last payload
      2b 32 first last payload takes completes
      64 20 first last payload takes completes
      65 24 first last payload takes completes
      81 28 first last
      """;

  @Test
  void everyRowIsAsSpecified() {
    String actual = Arrays.stream(Opcode.values()).map(OpcodeTest::row).collect(Collectors.joining());
    assertThat(actual).isEqualTo(EXPECTED);
  }

  @Test
  void codesFindTheirRowsAndNoOthers() {
    long known = 0;
    for (int code = 0; code < 256; code++) {
      Opcode opcode = Opcode.of(code);
      if (opcode != null) {
        assertThat(opcode.code()).isEqualTo(code);
        known++;
      }
    }
    assertThat(known).isEqualTo(Opcode.values().length);
  }

  @Test
  void everyOpcodeIsARequestOrAResponseExceptTheCnp() {
    for (Opcode opcode : Opcode.values()) {
      assertThat(opcode.isRequest() ^ opcode.isResponse()).as(opcode.name()).isEqualTo(opcode != Opcode.CNP);
    }
    assertThat(Opcode.RC_READ_REQUEST.isRequest()).isTrue();
    assertThat(Opcode.RC_READ_RESPONSE_MIDDLE.isResponse()).isTrue();
  }

  @Test
  void aHeaderThatIsNotThereHasNoPlace() {
    assertThatThrownBy(() -> Opcode.RC_SEND_ONLY.offsetOf(Header.AETH))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("RC_SEND_ONLY has no AETH");
  }

  private static String row(Opcode opcode) {
    StringBuilder row = new StringBuilder("%02x %d".formatted(opcode.code(), opcode.headerBytes()));
    row.append(opcode.isFirst() ? " first" : "").append(opcode.isLast() ? " last" : "");
    row.append(opcode.hasPayload() ? " payload" : "");
    row.append(opcode.consumesReceive() ? " takes" : "").append(opcode.completesReceive() ? " completes" : "");
    return row.append('\n').toString();
  }
}
