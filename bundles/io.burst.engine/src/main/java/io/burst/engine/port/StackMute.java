package io.burst.engine.port;

import io.burst.linux.KernelAddress;
import io.burst.linux.SocketDescriptor;
import io.burst.linux.SocketDescriptor.Option;
import io.burst.linux.SocketFilter;
import io.burst.linux.SystemCallException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps the host's own stack from answering RoCEv2 packets with ICMP port unreachable: a UDP socket on port 4791 of
 * each address, which drops all it gets. It also keeps a second user of that port out. Owned by the port that opened
 * it.
 */
final class StackMute implements AutoCloseable {

  private final List<SocketDescriptor> sockets = new ArrayList<>();

  StackMute(List<InetAddress> addresses) throws PortException {
    for (InetAddress address : addresses) {
      try {
        mute(address);
      } catch (SystemCallException e) {
        close();
        throw Ports.cannotBind(address, e);
      }
    }
  }

  private void mute(InetAddress address) throws SystemCallException {
    SocketDescriptor socket = SocketDescriptor.udp(address);
    sockets.add(socket);
    socket.attach(SocketFilter.dropAll());
    if (address instanceof Inet6Address) {
      socket.set(Option.IPV6_V6ONLY, 1);
      // While duplicate address detection runs, an address is not yet there to bind to.
      socket.set(Option.IPV6_FREEBIND, 1);
    }
    socket.bind(KernelAddress.inet(address, Ports.ROCE_PORT));
  }

  @Override
  public void close() {
    sockets.forEach(SocketDescriptor::close);
  }
}
