package io.burst.engine.wire;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * All that is the same in the IP and UDP headers of every packet to one destination, as a header ready to be copied.
 * Immutable, so any thread may use it.
 */
public final class Flow {
  private static final int HOP_LIMIT = 64;
  private static final int FIRST_PORT = 0xC000;
  private static final int PORT_BITS = 14;
  private static final int PORT_MASK = (1 << PORT_BITS) - 1;
  private static final int FLOW_LABEL_MASK = 0xF_FFFF;
  /** 2^32 divided by the golden ratio, as an odd number: spreads neighbouring queue pairs over all ports. */
  private static final int GOLDEN_RATIO = 0x61C88647;

  private final InetAddress local;
  private final InetAddress remote;
  private final int udpSourcePort;
  private final int trafficClass;
  private final boolean ipv6;
  private final byte[] template;

  /**
   * @param local this end's address, of the same family as the other
   * @param udpSourcePort what routers spread the traffic by; constant for the life of a queue pair
   * @param trafficClass the IPv4 type of service or IPv6 traffic class: DSCP (6 bits) and ECN (2 bits)
   */
  public Flow(InetAddress local, InetAddress remote, int udpSourcePort, int trafficClass) {
    this.local = local;
    this.remote = remote;
    this.udpSourcePort = udpSourcePort & 0xFFFF;
    this.trafficClass = trafficClass & 0xFF;
    ipv6 = local instanceof Inet6Address;
    if (ipv6 != remote instanceof Inet6Address) {
      throw new IllegalArgumentException("an IPv4 and an IPv6 address cannot talk: " + local + ", " + remote);
    }
    template = new byte[ipHeaderBytes() + Udp.BYTES];
    fillTemplate(ByteBuffer.wrap(template));
  }

  /** The UDP source port of a connected queue pair whose flow label is not set. */
  public static int sourcePort(int localQpn, int remoteQpn) {
    long mixed = (localQpn & 0xFF_FFFFL) * (remoteQpn & 0xFF_FFFFL);
    mixed ^= mixed >>> 20;
    mixed ^= mixed >>> 40;
    return sourcePortOfFlowLabel((int) mixed & FLOW_LABEL_MASK);
  }

  /** The UDP source port of a queue pair with a flow label, 20 bits (IBTA annex A17.3.1.2). */
  public static int sourcePortOfFlowLabel(int flowLabel) {
    int label = flowLabel & FLOW_LABEL_MASK;
    return label & PORT_MASK ^ label >> PORT_BITS | FIRST_PORT;
  }

  /** The UDP source port of a datagram queue pair, which has no peer to mix in. */
  public static int datagramSourcePort(int localQpn) {
    return FIRST_PORT + (localQpn * GOLDEN_RATIO >>> Integer.SIZE - PORT_BITS);
  }

  public InetAddress local() {
    return local;
  }

  public InetAddress remote() {
    return remote;
  }

  public int udpSourcePort() {
    return udpSourcePort;
  }

  public int trafficClass() {
    return trafficClass;
  }

  public boolean isIpv6() {
    return ipv6;
  }

  public int ipHeaderBytes() {
    return ipv6 ? Ipv6.BYTES : Ipv4.BYTES;
  }

  /** Bytes of the IP and UDP headers. */
  public int headerBytes() {
    return template.length;
  }

  /** Writes both headers; lengths, identification and checksums stay 0 until the packet's end is known. */
  void writeHeaders(ByteBuffer buffer, int offset) {
    buffer.put(offset, template);
  }

  private void fillTemplate(ByteBuffer header) {
    if (ipv6) {
      header.putInt(0, 6 << 28 | trafficClass << 20);
      header.put(Ipv6.NEXT_HEADER, (byte) Udp.PROTOCOL);
      header.put(Ipv6.HOP_LIMIT, (byte) HOP_LIMIT);
      header.put(Ipv6.SOURCE, local.getAddress());
      header.put(Ipv6.DESTINATION, remote.getAddress());
    } else {
      header.put(0, (byte) Ipv4.VERSION_AND_WORDS);
      header.put(Ipv4.TRAFFIC_CLASS, (byte) trafficClass);
      header.putShort(Ipv4.FLAGS, (short) Ipv4.DO_NOT_FRAGMENT);
      header.put(Ipv4.TIME_TO_LIVE, (byte) HOP_LIMIT);
      header.put(Ipv4.PROTOCOL, (byte) Udp.PROTOCOL);
      header.put(Ipv4.SOURCE, local.getAddress());
      header.put(Ipv4.DESTINATION, remote.getAddress());
    }
    int udp = ipHeaderBytes();
    header.putShort(udp + Udp.SOURCE_PORT, (short) udpSourcePort);
    header.putShort(udp + Udp.DESTINATION_PORT, (short) Udp.ROCE_PORT);
  }
}
