package io.burst.verbs;

/** Payload bytes of a full packet (ibv_mtu); {@link #code()} is the value of the enum there. */
public enum PathMtu {
  MTU_256,
  MTU_512,
  MTU_1024,
  MTU_2048,
  MTU_4096;

  /**
   * IPv6, UDP, BTH, RETH, ICRC: what soft-RoCE takes off a link's MTU to find the path MTU that fits. A WRITE Only
   * with immediate needs 4 more.
   */
  private static final int HEADERS_BYTES = 80;

  public int code() {
    return ordinal() + 1;
  }

  public int bytes() {
    return 128 << code();
  }

  /** @throws IllegalArgumentException unless it is 256, 512, 1024, 2048 or 4096 */
  public static PathMtu ofBytes(int bytes) {
    for (PathMtu mtu : values()) {
      if (mtu.bytes() == bytes) {
        return mtu;
      }
    }
    throw new IllegalArgumentException("path MTU " + bytes + " is none of 256, 512, 1024, 2048, 4096");
  }

  /** The largest that fits a link, or null when none does. */
  public static PathMtu largestFor(int linkMtuBytes) {
    PathMtu largest = null;
    for (PathMtu mtu : values()) {
      if (mtu.bytes() + HEADERS_BYTES <= linkMtuBytes) {
        largest = mtu;
      }
    }
    return largest;
  }
}
