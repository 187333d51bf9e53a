package io.burst.linux;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * The C library's functions, mapped directly: pointers and size_t are longs, so a call allocates nothing. Stateless,
 * for any thread.
 */
final class Libc {

  static final int EPERM = 1;
  static final int ENOENT = 2;
  static final int EAGAIN = 11;
  static final int EACCES = 13;
  static final int EADDRINUSE = 98;
  static final int EADDRNOTAVAIL = 99;
  static final int ENETUNREACH = 101;
  static final int ETIMEDOUT = 110;
  static final int EHOSTUNREACH = 113;
  static final int MSG_DONTWAIT = 0x40;

  static {
    Native.register(Libc.class, NativeLibrary.getProcess());
  }

  private Libc() {}

  static native int socket(int domain, int type, int protocol);

  static native int bind(int descriptor, long address, int addressBytes);

  static native int setsockopt(int descriptor, int level, int name, long value, int valueBytes);

  static native int getsockopt(int descriptor, int level, int name, long value, long valueBytes);

  static native long send(int descriptor, long bytes, long count, int flags);

  static native long recv(int descriptor, long bytes, long count, int flags);

  static native int sendmmsg(int descriptor, long messages, int count, int flags);

  static native int recvmmsg(int descriptor, long messages, int count, int flags, long timeout);

  static native int ppoll(long descriptors, long count, long timeout, long signalMask);

  static native int eventfd(int initial, int flags);

  static native long read(int descriptor, long bytes, long count);

  static native long write(int descriptor, long bytes, long count);

  static native int close(int descriptor);

  private static native String strerror(int errno);

  /** The errno of this thread's last call here; to be read before any other. */
  static int errno() {
    return Native.getLastError();
  }

  /** For control calls: turns -1 into the exception that names the call. */
  static int check(String call, int result) throws SystemCallException {
    if (result < 0) {
      throw failure(call, errno());
    }
    return result;
  }

  static SystemCallException failure(String call, int errno) {
    return new SystemCallException(call, errno, strerror(errno));
  }
}
