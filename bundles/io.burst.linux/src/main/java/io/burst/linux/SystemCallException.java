package io.burst.linux;

import java.io.IOException;

/** A control call that the kernel refused, as {@code call: what errno means}. */
public final class SystemCallException extends IOException {

  private static final long serialVersionUID = 1L;
  private static final int ENOENT = 2;
  private static final int EACCES = 13;
  private static final int EADDRINUSE = 98;
  private static final int EADDRNOTAVAIL = 99;
  private static final int ENETUNREACH = 101;
  private static final int EHOSTUNREACH = 113;

  private final int errno;

  SystemCallException(String call, int errno, String text) {
    super(call + ": " + text);
    this.errno = errno;
  }

  public int errno() {
    return errno;
  }

  public boolean isNotPermitted() {
    return errno == Libc.EPERM || errno == EACCES;
  }

  public boolean isAddressInUse() {
    return errno == EADDRINUSE;
  }

  public boolean isAddressNotAvailable() {
    return errno == EADDRNOTAVAIL;
  }

  public boolean isUnreachable() {
    return errno == ENETUNREACH || errno == EHOSTUNREACH;
  }

  boolean isNoEntry() {
    return errno == ENOENT;
  }
}
