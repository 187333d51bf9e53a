package io.burst.engine.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AethTest {
  @Test
  void everySyndromeIsOfOneKindAtMost() {
    for (int syndrome = 0; syndrome < 256; syndrome++) {
      assertThat(Aeth.isAck(syndrome)).as("%02x", syndrome).isEqualTo(syndrome <= 0x1F);
      assertThat(Aeth.isRnrNak(syndrome)).as("%02x", syndrome).isEqualTo(syndrome >= 0x20 && syndrome <= 0x3F);
      assertThat(Aeth.isNak(syndrome)).as("%02x", syndrome).isEqualTo(syndrome >= 0x60 && syndrome <= 0x7F);
    }
  }

  /** IBTA volume 1, table "Encoding for RNR NAK timer field", in milliseconds there. */
  @ParameterizedTest
  @CsvSource({
    "0, 655_360_000", "1, 10_000", "2, 20_000", "5, 60_000", "6, 80_000", "11, 480_000", "12, 640_000", "13, 960_000",
    "14, 1_280_000", "20, 10_240_000", "26, 81_920_000", "27, 122_880_000", "31, 491_520_000"
  })
  void rnrTimersAreTheSpecifications(int code, String ns) {
    assertThat(Aeth.rnrTimerNs(code)).isEqualTo(Long.parseLong(ns.replace("_", "")));
    assertThat(Aeth.rnrTimerNs(Aeth.rnrNak(code))).isEqualTo(Aeth.rnrTimerNs(code));
  }
}
