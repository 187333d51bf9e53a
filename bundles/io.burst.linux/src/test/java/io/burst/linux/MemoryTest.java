package io.burst.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class MemoryTest {

  @Test
  void addressesTheSameBytesAsTheBuffer() {
    ByteBuffer whole = ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder());
    ByteBuffer slice = whole.slice(16, 32).order(ByteOrder.nativeOrder());
    long address = Memory.addressOf(slice);
    assertThat(address).isEqualTo(Memory.addressOf(whole) + 16);

    Memory.putLong(address, 0x0102030405060708L);
    Memory.putInt(address + 8, 0x090a0b0c);
    Memory.putShort(address + 12, (short) 0x0d0e);
    Memory.putByte(address + 14, (byte) 0x0f);
    assertThat(slice.getLong(0)).isEqualTo(0x0102030405060708L);
    assertThat(slice.getInt(8)).isEqualTo(0x090a0b0c);
    assertThat(slice.getShort(12)).isEqualTo((short) 0x0d0e);
    assertThat(slice.get(14)).isEqualTo((byte) 0x0f);

    Memory.copy(address, address + 16, 15);
    assertThat(Memory.getLong(address + 16)).isEqualTo(0x0102030405060708L);
    assertThat(Memory.getInt(address + 24)).isEqualTo(0x090a0b0c);
    assertThat(Memory.getShort(address + 28)).isEqualTo((short) 0x0d0e);
    assertThat(Memory.getByte(address + 30)).isEqualTo((byte) 0x0f);
    assertThat(slice.get(31)).isZero();
  }

  @Test
  void heapBuffersHaveNoAddress() {
    assertThatThrownBy(() -> Memory.addressOf(ByteBuffer.allocate(8))).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void allocatesZeros() {
    long address = Memory.allocate(24);
    for (int i = 0; i < 24; i++) {
      assertThat(Memory.getByte(address + i)).isZero();
    }
    Memory.free(address);
  }
}
