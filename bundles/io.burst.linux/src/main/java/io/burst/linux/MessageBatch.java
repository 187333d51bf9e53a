package io.burst.linux;

/**
 * An array of struct mmsghdr with one iovec and room for one address each, built once, so that a batch of packets is
 * one call and no allocation. Owned by one thread.
 */
public final class MessageBatch implements AutoCloseable {

  private static final int HEADER_BYTES = 64;
  private static final int NAME_LENGTH_OFFSET = 8;
  private static final int VECTOR_OFFSET = 16;
  private static final int VECTOR_COUNT_OFFSET = 24;
  private static final int FLAGS_OFFSET = 48;
  private static final int LENGTH_OFFSET = 56;
  private static final int VECTOR_BYTES = 16;
  private static final int MSG_TRUNC = 0x20;

  private final int capacity;
  private final int nameBytes;
  private final long vectors;
  private final long names;
  private long headers;

  /**
   * @param capacity messages a call can carry
   * @param nameBytes length of each message's socket address; 0 for none
   */
  public MessageBatch(int capacity, int nameBytes) {
    this.capacity = capacity;
    this.nameBytes = nameBytes;
    headers = Memory.allocate((long) capacity * (HEADER_BYTES + VECTOR_BYTES + KernelAddress.MAX_BYTES));
    vectors = headers + (long) capacity * HEADER_BYTES;
    names = vectors + (long) capacity * VECTOR_BYTES;
    for (int i = 0; i < capacity; i++) {
      Memory.putLong(header(i), nameBytes == 0 ? 0 : nameAddress(i));
      Memory.putInt(header(i) + NAME_LENGTH_OFFSET, nameBytes);
      Memory.putLong(header(i) + VECTOR_OFFSET, vector(i));
      Memory.putLong(header(i) + VECTOR_COUNT_OFFSET, 1);
    }
  }

  public int capacity() {
    return capacity;
  }

  /** What message {@code i} is sent from, or the room that it is received into. */
  public void set(int i, long address, int lengthBytes) {
    Memory.putLong(vector(i), address);
    Memory.putLong(vector(i) + 8, lengthBytes);
  }

  /** Where message {@code i}'s socket address lies: whom it goes to, or whom it came from. */
  public long nameAddress(int i) {
    return names + (long) i * KernelAddress.MAX_BYTES;
  }

  /**
   * Sends the messages from {@code first} up to {@code end}.
   *
   * @return how many went, at least 1; or minus the errno that met the first
   */
  public int send(SocketDescriptor socket, int first, int end) {
    int sent = Libc.sendmmsg(socket.descriptor(), header(first), end - first, Libc.MSG_DONTWAIT);
    return sent >= 0 ? sent : -Libc.errno();
  }

  /**
   * Receives into the first {@code count} messages.
   *
   * @return how many came, 0 when none waits; or minus the errno of a failure
   */
  public int receive(SocketDescriptor socket, int count) {
    for (int i = 0; i < count; i++) {
      Memory.putInt(header(i) + NAME_LENGTH_OFFSET, nameBytes);
    }
    int received = Libc.recvmmsg(socket.descriptor(), headers, count, Libc.MSG_DONTWAIT, 0);
    if (received >= 0) {
      return received;
    }
    int errno = Libc.errno();
    return errno == Libc.EAGAIN ? 0 : -errno;
  }

  /** Bytes of message {@code i} that were received. */
  public int lengthBytes(int i) {
    return Memory.getInt(header(i) + LENGTH_OFFSET);
  }

  /** Whether message {@code i} was longer than its room. */
  public boolean isTruncated(int i) {
    return (Memory.getInt(header(i) + FLAGS_OFFSET) & MSG_TRUNC) != 0;
  }

  @Override
  public void close() {
    if (headers != 0) {
      Memory.free(headers);
      headers = 0;
    }
  }

  private long header(int i) {
    return headers + (long) i * HEADER_BYTES;
  }

  private long vector(int i) {
    return vectors + (long) i * VECTOR_BYTES;
  }
}
