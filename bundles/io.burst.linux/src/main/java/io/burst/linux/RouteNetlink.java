package io.burst.linux;

import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Asks the kernel about links, addresses, routes and neighbours over rtnetlink(7). Owned by one thread. */
public final class RouteNetlink implements AutoCloseable {

  private static final int NLMSG_ERROR = 2;
  private static final int NLMSG_DONE = 3;
  private static final int NLM_F_REQUEST = 0x1;
  private static final int NLM_F_MULTI = 0x2;
  private static final int NLM_F_ACK = 0x4;
  private static final int NLM_F_DUMP = 0x300;
  private static final int NLM_F_CREATE = 0x400;

  private static final int RTM_GETLINK = 18;
  private static final int IFINFO_BYTES = 16;
  private static final int IFLA_ADDRESS = 1;
  private static final int IFLA_IFNAME = 3;
  private static final int IFLA_MTU = 4;
  private static final int ARPHRD_ETHER = 1;
  private static final int IFF_UP = 0x1;
  private static final int IFF_LOOPBACK = 0x8;
  private static final int IFF_LOWER_UP = 0x10000;

  private static final int RTM_GETADDR = 22;
  private static final int IFADDR_BYTES = 8;
  private static final int IFA_ADDRESS = 1;
  private static final int IFA_LOCAL = 2;

  private static final int RTM_GETROUTE = 26;
  private static final int RTMSG_BYTES = 12;
  private static final int RTA_DST = 1;
  private static final int RTA_SRC = 2;
  private static final int RTA_OIF = 4;
  private static final int RTA_GATEWAY = 5;
  private static final int RTA_VIA = 18;
  private static final int RTN_UNICAST = 1;
  private static final int RTN_LOCAL = 2;

  private static final int RTM_NEWNEIGH = 28;
  private static final int RTM_GETNEIGH = 30;
  private static final int NDMSG_BYTES = 12;
  private static final int NDA_DST = 1;
  private static final int NDA_LLADDR = 2;
  private static final int NTF_USE = 0x1;
  /** REACHABLE, STALE, DELAY, PROBE, NOARP, PERMANENT: the entry's link address can be used. */
  private static final int NUD_VALID = 0xde;
  private static final int RTMGRP_NEIGH = 0x4;

  private static final int RECEIVE_BYTES = 64 << 10;
  private static final long ANSWER_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);

  private final SocketDescriptor socket;
  private final ByteBuffer received = ByteBuffer.allocateDirect(RECEIVE_BYTES).order(ByteOrder.nativeOrder());
  private int sequence;

  public RouteNetlink() throws SystemCallException {
    socket = SocketDescriptor.netlink();
  }

  /** All interfaces of this network namespace. */
  public List<Link> links() throws SystemCallException {
    NetlinkRequest request = new NetlinkRequest(RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP);
    request.putByte(0).putByte(0).putShort(0).putInt(0).putInt(0).putInt(0);
    List<Link> links = new ArrayList<>();
    for (NetlinkReply reply : ask("list interfaces", request, IFINFO_BYTES)) {
      byte[] name = reply.attribute(IFLA_IFNAME);
      byte[] address = reply.attribute(IFLA_ADDRESS);
      int flags = reply.intAt(8);
      links.add(
          new Link(
              new String(name, 0, name.length - 1, StandardCharsets.UTF_8),
              reply.intAt(4),
              address == null ? new byte[0] : address,
              reply.intAttribute(IFLA_MTU, 0),
              reply.unsignedShortAt(2) == ARPHRD_ETHER,
              (flags & IFF_LOOPBACK) != 0,
              (flags & IFF_UP) != 0,
              (flags & IFF_LOWER_UP) != 0));
    }
    return links;
  }

  /** An interface's own addresses: those of fe80::/10, which carry the interface as their scope, come last. */
  public List<InetAddress> addresses(int interfaceIndex) throws SystemCallException {
    NetlinkRequest request = new NetlinkRequest(RTM_GETADDR, NLM_F_REQUEST | NLM_F_DUMP);
    request.putByte(0).putByte(0).putByte(0).putByte(0).putInt(0);
    List<InetAddress> addresses = new ArrayList<>();
    for (NetlinkReply reply : ask("list addresses", request, IFADDR_BYTES)) {
      if (reply.intAt(4) == interfaceIndex) {
        byte[] local = reply.attribute(IFA_LOCAL);
        addresses.add(address(local == null ? reply.attribute(IFA_ADDRESS) : local, interfaceIndex));
      }
    }
    addresses.sort(Comparator.comparing(address -> address instanceof Inet6Address && address.isLinkLocalAddress()));
    return addresses;
  }

  /**
   * The way from one address to another.
   *
   * @param interfaceIndex the interface to leave by, 0 for the kernel's choice; given one that has no route, the kernel
   *     takes an IPv4 address to be on its link
   */
  public Route route(InetAddress local, InetAddress remote, int interfaceIndex) throws SystemCallException {
    int prefixBits = remote.getAddress().length * Byte.SIZE;
    NetlinkRequest request = new NetlinkRequest(RTM_GETROUTE, NLM_F_REQUEST);
    request.putByte(NetlinkRequest.family(remote)).putByte(prefixBits).putByte(prefixBits).putByte(0);
    request.putInt(0).putInt(0);
    request.attribute(RTA_DST, remote.getAddress()).attribute(RTA_SRC, local.getAddress());
    if (interfaceIndex != 0) {
      request.attribute(RTA_OIF, interfaceIndex);
    }
    String call = "route to " + remote.getHostAddress();
    NetlinkReply reply = ask(call, request, RTMSG_BYTES).get(0);
    int type = reply.unsignedByteAt(7);
    if (type != RTN_UNICAST && type != RTN_LOCAL) {
      throw Libc.failure(call, Libc.ENETUNREACH);
    }
    int index = reply.intAttribute(RTA_OIF, 0);
    return new Route(index, nextHop(reply, remote, index), type == RTN_LOCAL);
  }

  private static InetAddress nextHop(NetlinkReply reply, InetAddress remote, int interfaceIndex) {
    byte[] gateway = reply.attribute(RTA_GATEWAY);
    if (gateway != null) {
      return address(gateway, interfaceIndex);
    }
    // An IPv4 route over an IPv6 gateway: the family, then the address.
    byte[] via = reply.attribute(RTA_VIA);
    return via == null ? remote : address(Arrays.copyOfRange(via, 2, via.length), interfaceIndex);
  }

  /**
   * The link address of a neighbour. If the kernel doesn't know it, it is made to ask (ARP, neighbour solicitation: no
   * packet of any other kind leaves), and its answer awaited.
   *
   * @return null when the neighbour doesn't answer in time
   * @throws SystemCallException not permitted, when it isn't known and the user may not make the kernel ask
   */
  public byte[] neighbour(int interfaceIndex, InetAddress address, long timeoutNs) throws SystemCallException {
    byte[] known = knownNeighbour(interfaceIndex, address);
    if (known != null) {
      return known;
    }
    long deadlineNs = System.nanoTime() + timeoutNs;
    try (SocketDescriptor changes = SocketDescriptor.netlink();
        DescriptorSet changed = new DescriptorSet(changes.descriptor())) {
      changes.bind(KernelAddress.netlink(RTMGRP_NEIGH));
      provoke(interfaceIndex, address);
      long leftNs = timeoutNs;
      while ((known = knownNeighbour(interfaceIndex, address)) == null && leftNs > 0) {
        changed.await(leftNs);
        drain(changes);
        leftNs = deadlineNs - System.nanoTime();
      }
      return known;
    }
  }

  private byte[] knownNeighbour(int interfaceIndex, InetAddress address) throws SystemCallException {
    NetlinkRequest request = new NetlinkRequest(RTM_GETNEIGH, NLM_F_REQUEST);
    putNeighbour(request, interfaceIndex, address, 0);
    try {
      NetlinkReply reply = ask("look up a neighbour", request, NDMSG_BYTES).get(0);
      return (reply.unsignedShortAt(8) & NUD_VALID) == 0 ? null : reply.attribute(NDA_LLADDR);
    } catch (SystemCallException e) {
      if (e.isNoEntry()) {
        return null;
      }
      throw e;
    }
  }

  private void provoke(int interfaceIndex, InetAddress address) throws SystemCallException {
    NetlinkRequest request = new NetlinkRequest(RTM_NEWNEIGH, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE);
    putNeighbour(request, interfaceIndex, address, NTF_USE);
    ask("ask for a neighbour", request, NDMSG_BYTES);
  }

  private static void putNeighbour(NetlinkRequest request, int interfaceIndex, InetAddress address, int flags) {
    request.putByte(NetlinkRequest.family(address)).putByte(0).putShort(0).putInt(interfaceIndex);
    request.putShort(0).putByte(flags).putByte(0).attribute(NDA_DST, address.getAddress());
  }

  private void drain(SocketDescriptor changes) {
    while (Libc.recv(changes.descriptor(), Memory.addressOf(received), RECEIVE_BYTES, Libc.MSG_DONTWAIT) > 0) {
      // Any change is reason enough to look again.
    }
  }

  private List<NetlinkReply> ask(String call, NetlinkRequest request, int fixedBytes) throws SystemCallException {
    ByteBuffer message = request.finish(++sequence);
    Libc.check(call, (int) Libc.send(socket.descriptor(), Memory.addressOf(message), message.limit(), 0));
    List<NetlinkReply> replies = new ArrayList<>();
    try (DescriptorSet answered = new DescriptorSet(socket.descriptor())) {
      do {
        if (answered.await(ANSWER_TIMEOUT_NS) == 0) {
          throw Libc.failure(call, Libc.ETIMEDOUT);
        }
        long bytes = Libc.recv(socket.descriptor(), Memory.addressOf(received), RECEIVE_BYTES, 0);
        received.position(0).limit(Libc.check(call, (int) bytes));
      } while (!collect(call, fixedBytes, replies));
    }
    return replies;
  }

  /** Takes the replies out of what was received; true once that was the last. */
  private boolean collect(String call, int fixedBytes, List<NetlinkReply> replies) throws SystemCallException {
    while (received.remaining() >= NetlinkRequest.HEADER_BYTES) {
      int start = received.position();
      int length = received.getInt();
      int type = received.getShort();
      int flags = received.getShort();
      int answered = received.getInt();
      int next = Math.min(received.limit(), start + ((length + 3) & ~3));
      if (answered == sequence) {
        if (type == NLMSG_DONE) {
          return true;
        }
        if (type == NLMSG_ERROR) {
          int error = received.getInt(start + NetlinkRequest.HEADER_BYTES);
          if (error != 0) {
            throw Libc.failure(call, -error);
          }
          return true;
        }
        byte[] payload = new byte[length - NetlinkRequest.HEADER_BYTES];
        received.get(start + NetlinkRequest.HEADER_BYTES, payload);
        replies.add(new NetlinkReply(payload, fixedBytes));
        if ((flags & NLM_F_MULTI) == 0) {
          return true;
        }
      }
      received.position(next);
    }
    return false;
  }

  private static InetAddress address(byte[] bytes, int interfaceIndex) {
    try {
      InetAddress address = InetAddress.getByAddress(bytes);
      return address instanceof Inet6Address && address.isLinkLocalAddress()
          ? Inet6Address.getByAddress(null, bytes, interfaceIndex)
          : address;
    } catch (UnknownHostException e) {
      throw new UncheckedIOException("the kernel named an address of a length of its own", e);
    }
  }

  @Override
  public void close() {
    socket.close();
  }
}
