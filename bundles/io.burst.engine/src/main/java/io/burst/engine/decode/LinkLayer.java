package io.burst.engine.decode;

import java.nio.ByteBuffer;

/**
 * Finds the IP header behind the link headers that capture files hold (the link types of tcpdump.org): Ethernet, Linux
 * cooked in both versions, raw IP; with any number of VLAN tags.
 */
final class LinkLayer {
  private static final int ETHERNET = 1;
  private static final int RAW_BSD = 12;
  private static final int RAW = 101;
  private static final int LINUX_COOKED = 113;
  private static final int IPV4 = 228;
  private static final int IPV6 = 229;
  private static final int LINUX_COOKED_2 = 276;

  private static final int TYPE_IPV4 = 0x0800;
  private static final int TYPE_IPV6 = 0x86DD;
  private static final int TYPE_VLAN = 0x8100;
  private static final int TYPE_PROVIDER_VLAN = 0x88A8;
  private static final int TYPE_OLD_PROVIDER_VLAN = 0x9100;
  private static final int VLAN_TAG_BYTES = 4;

  private LinkLayer() {}

  static boolean isKnown(int linkType) {
    return switch (linkType) {
      case ETHERNET, RAW_BSD, RAW, LINUX_COOKED, IPV4, IPV6, LINUX_COOKED_2 -> true;
      default -> false;
    };
  }

  /**
   * Where in the frame the IP header starts, or -1 when there is none.
   *
   * <p>The type of what follows is at 12 of the 14 bytes of Ethernet, at 14 of 16 in the first cooked header, at 0 of
   * 20 in the second.
   */
  static int ipOffset(int linkType, ByteBuffer frame, int frameBytes) {
    return switch (linkType) {
      case ETHERNET -> behindTags(frame, frameBytes, 12, 14);
      case LINUX_COOKED -> behindTags(frame, frameBytes, 14, 16);
      case LINUX_COOKED_2 -> behindTags(frame, frameBytes, 0, 20);
      case RAW_BSD, RAW, IPV4, IPV6 -> 0;
      default -> -1;
    };
  }

  /** Follows VLAN tags, each of which holds the type of what comes after it. */
  private static int behindTags(ByteBuffer frame, int frameBytes, int typeOffset, int headerBytes) {
    int type = typeOffset;
    int payload = headerBytes;
    while (payload <= frameBytes) {
      switch (Short.toUnsignedInt(frame.getShort(type))) {
        case TYPE_IPV4, TYPE_IPV6 -> {
          return payload;
        }
        case TYPE_VLAN, TYPE_PROVIDER_VLAN, TYPE_OLD_PROVIDER_VLAN -> {
          type = payload + Short.BYTES;
          payload += VLAN_TAG_BYTES;
        }
        default -> {
          return -1;
        }
      }
    }
    return -1;
  }
}
