package io.burst.linux;

/** An eventfd that wakes a worker out of its sleep. The worker polls and drains it, any thread signals. */
public final class EventDescriptor implements AutoCloseable {

  private static final int EFD_NONBLOCK = 0x800;
  private static final int EFD_CLOEXEC = 0x80000;

  private final long memory;
  private int descriptor;

  public EventDescriptor() throws SystemCallException {
    descriptor = Libc.check("eventfd", Libc.eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    memory = Memory.allocate(2 * Long.BYTES);
    Memory.putLong(memory, 1);
  }

  /** -1 once closed. */
  public int descriptor() {
    return descriptor;
  }

  /** Makes it readable; signals add up until they are drained. */
  public void signal() {
    Libc.write(descriptor, memory, Long.BYTES);
  }

  /** Takes all signals. */
  public void drain() {
    Libc.read(descriptor, memory + Long.BYTES, Long.BYTES);
  }

  /** Only once no thread signals any more. */
  @Override
  public void close() {
    if (descriptor >= 0) {
      Libc.close(descriptor);
      descriptor = -1;
      Memory.free(memory);
    }
  }
}
