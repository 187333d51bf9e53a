package io.burst.engine.port;

import static io.burst.linux.SocketFilter.JUMP_ANY_BIT;
import static io.burst.linux.SocketFilter.JUMP_EQUAL;
import static io.burst.linux.SocketFilter.LOAD_BYTE;
import static io.burst.linux.SocketFilter.LOAD_HALF;
import static io.burst.linux.SocketFilter.LOAD_HALF_INDEXED;
import static io.burst.linux.SocketFilter.LOAD_WORD;
import static io.burst.linux.SocketFilter.LOAD_X_HEADER_LENGTH;
import static io.burst.linux.SocketFilter.PACKET_TYPE;
import static io.burst.linux.SocketFilter.RETURN;
import static io.burst.linux.SocketFilter.VLAN_TAG;
import static io.burst.linux.SocketFilter.VLAN_TAG_PRESENT;
import static io.burst.linux.SocketFilter.jump;
import static io.burst.linux.SocketFilter.statement;

import io.burst.linux.SocketFilter;

/**
 * What an AF_PACKET socket takes from an Ethernet interface: whole IPv4 and IPv6 packets to UDP port 4791 in frames to
 * its own MAC address. The kernel strips the VLAN tag before; one that is only a priority (VLAN 0) is welcome, any
 * other belongs to another interface. Stateless.
 */
final class RoceFilter {

  private static final int PACKET_HOST = 0;
  private static final int VLAN_ID = 0xfff;
  private static final int ETHERTYPE_OFFSET = 12;
  private static final int IPV4 = 0x0800;
  private static final int IPV6 = 0x86dd;
  private static final int UDP = 17;
  private static final int ETHERNET_BYTES = 14;
  private static final int IPV6_BYTES = 40;
  private static final int MORE_FRAGMENTS_OR_OFFSET = 0x3fff;
  private static final int WHOLE = 0x40000;

  private RoceFilter() {}

  /** Jumps say how many instructions they skip, if true and if false; the last one drops. */
  static SocketFilter make() {
    return new SocketFilter(
        /* 0 */ statement(LOAD_WORD, PACKET_TYPE),
        /* 1 */ jump(JUMP_EQUAL, PACKET_HOST, 0, 19),
        /* 2 */ statement(LOAD_WORD, VLAN_TAG_PRESENT),
        /* 3 */ jump(JUMP_EQUAL, 0, 2, 0),
        /* 4 */ statement(LOAD_WORD, VLAN_TAG),
        /* 5 */ jump(JUMP_ANY_BIT, VLAN_ID, 15, 0),
        /* 6 */ statement(LOAD_HALF, ETHERTYPE_OFFSET),
        /* 7 */ jump(JUMP_EQUAL, IPV4, 5, 0),
        /* 8 */ jump(JUMP_EQUAL, IPV6, 0, 12),
        /* 9 */ statement(LOAD_BYTE, ETHERNET_BYTES + 6),
        /* 10 */ jump(JUMP_EQUAL, UDP, 0, 10),
        /* 11 */ statement(LOAD_HALF, ETHERNET_BYTES + IPV6_BYTES + 2),
        /* 12 */ jump(JUMP_EQUAL, Ports.ROCE_PORT, 7, 8),
        /* 13 */ statement(LOAD_BYTE, ETHERNET_BYTES + 9),
        /* 14 */ jump(JUMP_EQUAL, UDP, 0, 6),
        /* 15 */ statement(LOAD_HALF, ETHERNET_BYTES + 6),
        /* 16 */ jump(JUMP_ANY_BIT, MORE_FRAGMENTS_OR_OFFSET, 4, 0),
        /* 17 */ statement(LOAD_X_HEADER_LENGTH, ETHERNET_BYTES),
        /* 18 */ statement(LOAD_HALF_INDEXED, ETHERNET_BYTES + 2),
        /* 19 */ jump(JUMP_EQUAL, Ports.ROCE_PORT, 0, 1),
        /* 20 */ statement(RETURN, WHOLE),
        /* 21 */ statement(RETURN, 0));
  }
}
