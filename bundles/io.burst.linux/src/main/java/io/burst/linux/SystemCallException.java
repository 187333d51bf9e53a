package io.burst.linux;

import java.io.IOException;

/** A control call that the kernel refused, as {@code call: what errno means}. */
public final class SystemCallException extends IOException {

  private static final long serialVersionUID = 1L;

  private final int errno;

  SystemCallException(String call, int errno, String text) {
    super(call + ": " + text);
    this.errno = errno;
  }

  public int errno() {
    return errno;
  }

  public boolean isNotPermitted() {
    return errno == Libc.EPERM || errno == Libc.EACCES;
  }

  public boolean isAddressInUse() {
    return errno == Libc.EADDRINUSE;
  }

  public boolean isAddressNotAvailable() {
    return errno == Libc.EADDRNOTAVAIL;
  }

  public boolean isUnreachable() {
    return errno == Libc.ENETUNREACH || errno == Libc.EHOSTUNREACH;
  }

  boolean isNoEntry() {
    return errno == Libc.ENOENT;
  }
}
