package io.burst.itests.peer;

import io.burst.verbs.Gid;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The rig's guest with the Linux kernel's soft-RoCE, alone with its TAP. For one thread. */
final class SoftRoce {

  static final String HOST = "10.77.0.1";
  static final String GUEST = "10.77.0.2";
  static final String HOST_IPV6 = "fd77::1";
  static final String GUEST_IPV6 = "fd77::2";

  private static final Path MODULE = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
  private static final String RIG = MODULE.resolve("rig/rxe-peer").toString();
  private static final String BURST =
      Path.of(System.getProperty("burst.distribution")).normalize().resolve("bin/burst").toString();

  private final String name;
  private final boolean namespace;
  private final String hostIpv4;
  private final String guestIpv4;
  private final String hostIpv6;
  private final String guestIpv6;

  private SoftRoce(String name, boolean namespace, String ipv4Start, String ipv6Start, int hostPart) {
    this.name = name;
    this.namespace = namespace;
    hostIpv4 = ipv4Start + hostPart;
    guestIpv4 = ipv4Start + (hostPart + 1);
    hostIpv6 = ipv6Start + hostPart;
    guestIpv6 = ipv6Start + (hostPart + 1);
  }

  /** Why the rig can't run here; empty when it can. */
  static String missing() throws IOException, InterruptedException {
    try (Run check = Run.start(List.of(RIG, "check"))) {
      return check.exitStatus(60) == 0 ? "" : check.printed().strip();
    }
  }

  /** In a network namespace of its own, where {@link #burst} runs too. */
  static SoftRoce up() throws IOException, InterruptedException {
    return new SoftRoce("pp" + ProcessHandle.current().pid(), true, "10.77.0.", "fd77::", 1).boot();
  }

  /**
   * Where this JVM reaches it. Its addresses differ from those of other processes: a /30 of the range for benchmarks,
   * 198.18.0.0/15.
   */
  static SoftRoce upBesideThisJvm() throws IOException, InterruptedException {
    long pid = ProcessHandle.current().pid();
    String ipv4Start = "198." + (18 + (pid >> 14 & 1)) + "." + (pid >> 6 & 0xff) + ".";
    String ipv6Start = "fd77:" + Long.toHexString(pid >> 16) + ":" + Long.toHexString(pid & 0xffff) + "::";
    return new SoftRoce("op" + pid, false, ipv4Start, ipv6Start, (int) (pid & 0x3f) * 4 + 1).boot();
  }

  private SoftRoce boot() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(RIG, "up", "--bridge", "none", "--name", name,
        "--owner", String.valueOf(ProcessHandle.current().pid()),
        "--ip", guestIpv4, "--host-ip", hostIpv4, "--prefix", namespace ? "24" : "30",
        "--ip6", guestIpv6 + "/64", "--host-ip6", hostIpv6 + "/64"));
    if (namespace) {
      command.addAll(List.of("--netns", name));
    }
    try (Run up = Run.start(command)) {
      if (up.exitStatus(300) != 0) {
        throw new IllegalStateException(up.printed());
      }
    }
    return this;
  }

  Gid guestGid(Side.Family family) {
    return gid(family == Side.Family.IPV4 ? guestIpv4 : guestIpv6);
  }

  Gid hostGid(Side.Family family) {
    return gid(family == Side.Family.IPV4 ? hostIpv4 : hostIpv6);
  }

  private static Gid gid(String literal) {
    try {
      return Gid.of(InetAddress.getByName(literal));
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Starts verbs-peer in the guest. */
  VerbsPeer verbsPeer() throws IOException {
    return new VerbsPeer(new ProcessBuilder(RIG, "exec", "--name", name, "exec verbs-peer")
        .redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** The interface of the host that leads to the guest. */
  String link() {
    return "rxtap-" + name;
  }

  /** Starts a command of the guest's shell, which has to end by itself. */
  Run start(String command) throws IOException {
    return Run.start(List.of(RIG, "exec", "--name", name, command));
  }

  /** @return what a command of the guest's shell printed, without blanks around it */
  String run(String command) throws IOException, InterruptedException {
    try (Run run = start(command)) {
      if (run.exitStatus(60) != 0) {
        throw new IllegalStateException(command + ": " + run.printed());
      }
      return run.printed().strip();
    }
  }

  /**
   * Changes what happens to packets that the guest sends.
   *
   * @param queueing as {@code tc qdisc} takes it
   */
  void shape(String queueing) throws IOException, InterruptedException {
    run("tc qdisc replace dev eth0 root " + queueing);
  }

  /** Starts BURST beside the guest. */
  Run burst(String... arguments) throws IOException {
    return onHost(BURST, arguments);
  }

  private Run onHost(String program, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", name, program));
    command.addAll(Arrays.asList(arguments));
    return Run.start(command);
  }

  /** Returns when a server of the guest listens, or has ended. */
  void awaitListening(Run server, int port) throws IOException, InterruptedException {
    while (server.isRunning() && run("ss -Hltn sport = :" + port).isEmpty()) {
      Thread.onSpinWait();
    }
  }

  /** Returns when a server beside the guest listens, or has ended. */
  void awaitListeningOnHost(Run server, int port) throws IOException, InterruptedException {
    boolean listening = false;
    while (server.isRunning() && !listening) {
      try (Run sockets = onHost("ss", "-Hltn", "sport", "=", ":" + port)) {
        sockets.exitStatus(10);
        listening = !sockets.printed().isBlank();
      }
      // Each look costs a process: leave the processor to the server that is starting.
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  /** Ends the guest; its name stays taken until then. */
  void down() throws IOException, InterruptedException {
    try (Run down = Run.start(List.of(RIG, "down", "--name", name))) {
      down.exitStatus(60);
    }
  }
}
