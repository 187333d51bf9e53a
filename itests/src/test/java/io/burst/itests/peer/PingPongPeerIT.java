package io.burst.itests.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code burst pingpong} against ibv_rc_pingpong -c on the Linux kernel's soft-RoCE. The whole matrix runs with the
 * Maven profile {@code peer}, else every other value of it at least once.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PingPongPeerIT {

  private static final int PORT = 18515;
  private static final int ITERATIONS = 200;
  private static final long TIMEOUT_S = 120;

  /** ICMP of IPv4, and the errors of ICMPv6, which is also needed to find neighbours. */
  private static final String ICMP = "icmp or (icmp6 and ip6[40] < 128)";

  private static final String LOSS = "tc qdisc replace dev eth0 root netem limit 20000 loss 2%";

  /** 0x11 is the BTH opcode of an acknowledgement. */
  private static final String LOSS_BUT_OF_ACKNOWLEDGEMENTS = String.join(
      " && ",
      "tc qdisc replace dev eth0 root handle 1: prio bands 3 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
      "tc qdisc add dev eth0 parent 1:1 netem limit 20000 loss 2%",
      "tc filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip dport 4791 0xffff"
          + " match u8 0x11 0xff at 28 flowid 1:2",
      "tc filter add dev eth0 parent 1: protocol ipv6 prio 2 u32 match ip6 dport 4791 0xffff"
          + " match u8 0x11 0xff at 48 flowid 1:2");

  private static SoftRoce guest;

  /** What BURST is. */
  enum Role {
    CLIENT,
    SERVER
  }

  enum Family {
    IPV4,
    IPV6
  }

  record Case(Role role, Family family, int pathMtu, int sizeBytes) {}

  static List<Case> cases() {
    List<Case> all = new ArrayList<>();
    for (Role role : Role.values()) {
      for (Family family : Family.values()) {
        for (int pathMtu : new int[] {1024, 4096}) {
          for (int sizeBytes : new int[] {1, 4096, 65537}) {
            all.add(new Case(role, family, pathMtu, sizeBytes));
          }
        }
      }
    }
    return Boolean.getBoolean("burst.peer.all") ? all : all.stream().filter(PingPongPeerIT::isQuick).toList();
  }

  /** A message of one packet is rarely hit, and the others tell more. */
  static List<Case> lossyCases() {
    return Boolean.getBoolean("burst.peer.all")
        ? cases().stream().filter(one -> one.sizeBytes > 1).toList()
        : Arrays.stream(Role.values()).map(role -> new Case(role, Family.IPV4, 1024, 4096)).toList();
  }

  /** Both roles, families, path MTUs, and all sizes, in a third of the matrix. */
  private static boolean isQuick(Case one) {
    boolean smallMtu = one.pathMtu == 1024;
    return switch (one.sizeBytes) {
      case 1 -> smallMtu == (one.family == Family.IPV6) && one.role == Role.CLIENT;
      case 4096 -> !smallMtu && one.family == Family.IPV4;
      default -> smallMtu == (one.family == Family.IPV4);
    };
  }

  @BeforeAll
  static void startGuest() throws Exception {
    String missing = SoftRoce.missing();
    assumeTrue(missing.isEmpty(), missing);
    guest = SoftRoce.up();
    guest.run("tcpdump -Z root -i eth0 -n -U -w /tmp/icmp.pcap '" + ICMP + "' >/tmp/icmp.txt 2>&1 </dev/null &"
        + " until grep -q 'listening on' /tmp/icmp.txt; do kill -0 $! && sleep 0.1 || exit 1; done");
    guest.run("ping -c 1 -W 5 " + SoftRoce.HOST);
  }

  @AfterAll
  static void stopGuest() throws Exception {
    if (guest != null) {
      guest.down();
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  @Order(1)
  void everyByteComesBack(Case one) throws Exception {
    play(one);
  }

  /**
   * The guest loses 2 % of what it sends and BURST 2 % of what it sends. With BURST as the server, the guest's
   * acknowledgements are spared: ibv_rc_pingpong ends at once after its last one, and if that were lost nobody could
   * say whether the last message arrived.
   */
  @ParameterizedTest
  @MethodSource("lossyCases")
  @Order(2)
  void everyByteComesBackDespiteLossBothWays(Case one) throws Exception {
    guest.run(one.role == Role.CLIENT ? LOSS : LOSS_BUT_OF_ACKNOWLEDGEMENTS);
    try {
      play(one, "--fault", "drop=0.02,seed=7");
      assertThat(guest.run("tc -s qdisc show dev eth0")).containsPattern("netem .*\\n.*dropped [1-9]");
    } finally {
      guest.run("tc qdisc replace dev eth0 root pfifo limit 20000");
    }
  }

  /** The echo request and reply of {@link #startGuest} show that the capture works. */
  @Test
  @Order(3)
  void noIcmpWasSent() throws Exception {
    assertThat(guest.run("tcpdump -Z root -n -r /tmp/icmp.pcap 2>/dev/null").lines())
        .hasSize(2)
        .satisfiesExactly(
            line -> assertThat(line).contains(SoftRoce.GUEST + " > " + SoftRoce.HOST + ": ICMP echo request"),
            line -> assertThat(line).contains(SoftRoce.HOST + " > " + SoftRoce.GUEST + ": ICMP echo reply"));
  }

  private static void play(Case one, String... more) throws Exception {
    if (one.role == Role.CLIENT) {
      playAsClient(one, more);
    } else {
      playAsServer(one, more);
    }
  }

  /** The original's server listens on IPv4 only; --address makes the packets IPv6. */
  private static void playAsClient(Case one, String... more) throws Exception {
    try (Run original = guest.start(original(one, ""))) {
      guest.awaitListening(original, PORT);
      try (Run burst = guest.burst(ours(one, more, SoftRoce.GUEST))) {
        verify(burst, original);
      }
    }
  }

  private static void playAsServer(Case one, String... more) throws Exception {
    try (Run burst = guest.burst(ours(one, more))) {
      guest.awaitListeningOnHost(burst, PORT);
      String host = one.family == Family.IPV4 ? SoftRoce.HOST : SoftRoce.HOST_IPV6;
      try (Run original = guest.start(original(one, host))) {
        verify(burst, original);
      }
    }
  }

  private static String original(Case one, String host) {
    return "timeout " + TIMEOUT_S + " ibv_rc_pingpong -c -g $(gid-index " + one.family.name().toLowerCase() + ") -p "
        + PORT + " -m " + one.pathMtu + " -s " + one.sizeBytes + " -n " + ITERATIONS + " " + host;
  }

  private static String[] ours(Case one, String[] more, String... host) {
    List<String> arguments = new ArrayList<>(List.of("pingpong", "-c", "-d", guest.link(), "--port", "packet",
        "-p", String.valueOf(PORT), "-m", String.valueOf(one.pathMtu), "-s", String.valueOf(one.sizeBytes),
        "-n", String.valueOf(ITERATIONS)));
    if (one.family == Family.IPV6) {
      arguments.addAll(List.of("--address", SoftRoce.HOST_IPV6));
    }
    arguments.addAll(Arrays.asList(more));
    arguments.addAll(Arrays.asList(host));
    return arguments.toArray(String[]::new);
  }

  private static void verify(Run burst, Run original) throws Exception {
    int status = burst.exitStatus(TIMEOUT_S);
    int originalStatus = original.exitStatus(TIMEOUT_S);
    String both = "BURST: " + burst.printed() + "ibv_rc_pingpong: " + original.printed();
    assertThat(status).as(both).isZero();
    assertThat(burst.printed())
        .contains(ITERATIONS + " iterations, " + ITERATIONS + " messages verified, 0 mismatches");
    assertThat(originalStatus).as(both).isZero();
    assertThat(original.printed()).contains(ITERATIONS + " iters in ").doesNotContain("invalid data");
  }
}
