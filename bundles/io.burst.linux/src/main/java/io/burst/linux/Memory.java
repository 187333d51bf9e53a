package io.burst.linux;

import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import sun.misc.Unsafe;

/**
 * The one place that reads and writes memory by address. Nothing is checked: an address that isn't mapped ends the JVM.
 * Values are in the machine's byte order. Stateless, for any thread.
 */
public final class Memory {

  private static final Unsafe UNSAFE = unsafe();
  private static final long BUFFER_ADDRESS = bufferAddressOffset();

  private Memory() {}

  /** Where a direct buffer's index 0 lies; the buffer has to stay reachable for as long as the address is used. */
  public static long addressOf(ByteBuffer buffer) {
    if (!buffer.isDirect()) {
      throw new IllegalArgumentException("a heap buffer has no address");
    }
    return UNSAFE.getLong(buffer, BUFFER_ADDRESS);
  }

  /** Zeroed memory, the caller's until {@link #free}. */
  public static long allocate(long bytes) {
    long address = UNSAFE.allocateMemory(bytes);
    UNSAFE.setMemory(address, bytes, (byte) 0);
    return address;
  }

  public static void free(long address) {
    UNSAFE.freeMemory(address);
  }

  public static void copy(long from, long to, long bytes) {
    UNSAFE.copyMemory(from, to, bytes);
  }

  public static byte getByte(long address) {
    return UNSAFE.getByte(address);
  }

  public static void putByte(long address, byte value) {
    UNSAFE.putByte(address, value);
  }

  public static short getShort(long address) {
    return UNSAFE.getShort(address);
  }

  public static void putShort(long address, short value) {
    UNSAFE.putShort(address, value);
  }

  public static int getInt(long address) {
    return UNSAFE.getInt(address);
  }

  public static void putInt(long address, int value) {
    UNSAFE.putInt(address, value);
  }

  public static long getLong(long address) {
    return UNSAFE.getLong(address);
  }

  public static void putLong(long address, long value) {
    UNSAFE.putLong(address, value);
  }

  /** Stores at once for all who look, at an address that is a multiple of 8. */
  public static void putLongAtomically(long address, long value) {
    UNSAFE.putLongVolatile(null, address, value);
  }

  /** Returns the former value; the address is a multiple of 8. */
  public static long compareAndSwapLong(long address, long expected, long value) {
    long found;
    do {
      found = UNSAFE.getLongVolatile(null, address);
    } while (found == expected && !UNSAFE.compareAndSwapLong(null, address, expected, value));
    return found;
  }

  /** Returns the former value; the address is a multiple of 8. */
  public static long getAndAddLong(long address, long value) {
    return UNSAFE.getAndAddLong(null, address, value);
  }

  private static Unsafe unsafe() {
    try {
      Field instance = Unsafe.class.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      return (Unsafe) instance.get(null);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static long bufferAddressOffset() {
    try {
      return UNSAFE.objectFieldOffset(Buffer.class.getDeclaredField("address"));
    } catch (NoSuchFieldException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
