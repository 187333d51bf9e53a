package io.burst.engine.port;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A network namespace with a thread of this JVM in it: what that thread opens stays in the namespace. */
final class Namespace implements AutoCloseable {

  private static final int CLONE_NEWNET = 0x40000000;
  private static final int CAPABILITY_VERSION_3 = 0x20080522;

  private final String name;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();

  Namespace(String suffix) throws Exception {
    name = "burst-" + ProcessHandle.current().pid() + "-" + suffix;
    run("ip", "netns", "add", name);
    call(() -> enter("/run/netns/" + name));
    // Addresses are to be usable at once, not after duplicate address detection.
    inside("sysctl", "-qw", "net.ipv6.conf.default.accept_dad=0");
    ip("link", "set", "lo", "up");
  }

  static boolean isPossible() {
    try {
      run("ip", "netns", "add", "burst-probe-" + ProcessHandle.current().pid());
      run("ip", "netns", "del", "burst-probe-" + ProcessHandle.current().pid());
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Joins two by a veth pair, each end named burst0, with the addresses given. */
  static void join(Namespace left, String[] leftAddresses, Namespace right, String[] rightAddresses) throws IOException {
    left.ip("link", "add", "burst0", "mtu", "4200", "type", "veth", "peer", "name", "burst0", "mtu", "4200", "netns",
        right.name);
    left.setUp(leftAddresses);
    right.setUp(rightAddresses);
  }

  private void setUp(String... addresses) throws IOException {
    for (String address : addresses) {
      ip("address", "add", address, "dev", "burst0");
    }
    ip("link", "set", "burst0", "up");
  }

  void ip(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("ip", "-n", name));
    command.addAll(Arrays.asList(arguments));
    run(command.toArray(String[]::new));
  }

  private void inside(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", name));
    command.addAll(Arrays.asList(arguments));
    run(command.toArray(String[]::new));
  }

  /** Runs it on the thread that is in the namespace. */
  <T> T call(Callable<T> task) throws Exception {
    return join(thread, task);
  }

  /** Runs it in the namespace on a thread that has none of root's capabilities. */
  <T> T callUnprivileged(Callable<T> task) throws Exception {
    ExecutorService unprivileged = Executors.newSingleThreadExecutor();
    try {
      return join(
          unprivileged,
          () -> {
            enter("/run/netns/" + name);
            dropCapabilities();
            return task.call();
          });
    } finally {
      unprivileged.shutdown();
    }
  }

  private static <T> T join(ExecutorService executor, Callable<T> task) throws Exception {
    try {
      return executor.submit(task).get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private static Void enter(String path) throws IOException {
    int descriptor = Kernel.open(path, 0);
    int result = Kernel.setns(descriptor, CLONE_NEWNET);
    Kernel.close(descriptor);
    if (result != 0) {
      throw new IOException("setns " + path + ": errno " + Native.getLastError());
    }
    return null;
  }

  /** Capabilities belong to a thread. */
  private static void dropCapabilities() throws IOException {
    if (Kernel.capset(new int[] {CAPABILITY_VERSION_3, 0}, new int[6]) != 0) {
      throw new IOException("capset: errno " + Native.getLastError());
    }
  }

  private static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    try {
      if (process.waitFor() != 0) {
        throw new IOException(String.join(" ", command) + ": " + output);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    thread.shutdown();
    run("ip", "netns", "del", name);
  }

  private static final class Kernel {
    static {
      Native.register(Kernel.class, NativeLibrary.getProcess());
    }

    static native int open(String path, int flags);

    static native int close(int descriptor);

    static native int setns(int descriptor, int kind);

    static native int capset(int[] header, int[] data);
  }
}
