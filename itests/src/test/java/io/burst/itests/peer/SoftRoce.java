package io.burst.itests.peer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The rig's guest with the Linux kernel's soft-RoCE, alone with its TAP in a network namespace. For one thread. */
final class SoftRoce {

  static final String HOST = "10.77.0.1";
  static final String GUEST = "10.77.0.2";
  static final String HOST_IPV6 = "fd77::1";
  static final String GUEST_IPV6 = "fd77::2";

  private static final Path MODULE = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
  private static final String RIG = MODULE.resolve("rig/rxe-peer").toString();
  private static final String BURST =
      Path.of(System.getProperty("burst.distribution")).normalize().resolve("bin/burst").toString();

  private final String name = "pp" + ProcessHandle.current().pid();

  private SoftRoce() {}

  /** Why the rig can't run here; empty when it can. */
  static String missing() throws IOException, InterruptedException {
    try (Run check = Run.start(List.of(RIG, "check"))) {
      return check.exitStatus(60) == 0 ? "" : check.printed().strip();
    }
  }

  static SoftRoce up() throws IOException, InterruptedException {
    SoftRoce guest = new SoftRoce();
    try (Run up = Run.start(List.of(RIG, "up", "--netns", guest.name, "--bridge", "none", "--name", guest.name,
        "--owner", String.valueOf(ProcessHandle.current().pid()),
        "--ip6", GUEST_IPV6 + "/64", "--host-ip6", HOST_IPV6 + "/64"))) {
      if (up.exitStatus(300) != 0) {
        throw new IllegalStateException(up.printed());
      }
    }
    return guest;
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
