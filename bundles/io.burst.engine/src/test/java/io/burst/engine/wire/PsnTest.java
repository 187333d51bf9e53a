package io.burst.engine.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PsnTest {
  @Test
  void countsModulo24Bits() {
    assertThat(Psn.add(0xFF_FFFF, 1)).isZero();
    assertThat(Psn.add(0, -1)).isEqualTo(0xFF_FFFF);
    assertThat(Psn.mask(0x1234_5678)).isEqualTo(0x34_5678);
  }

  @Test
  void comparesAcrossTheWrap() {
    assertThat(Psn.compare(0, 0xFF_FFFF)).isPositive();
    assertThat(Psn.compare(0xFF_FFFF, 0)).isNegative();
    assertThat(Psn.compare(0x80_0000, 0x80_0000)).isZero();
    assertThat(Psn.compare(0x7F_FFFF, 0)).isEqualTo(0x7F_FFFF);
    assertThat(Psn.compare(0x80_0000, 0)).isNegative();
  }

  @Test
  void measuresForwards() {
    assertThat(Psn.distance(0xFF_FFFE, 1)).isEqualTo(3);
    assertThat(Psn.distance(1, 0xFF_FFFE)).isEqualTo(0xFF_FFFD);
  }
}
