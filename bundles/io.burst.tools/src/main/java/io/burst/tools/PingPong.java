package io.burst.tools;

import io.burst.verbs.AccessFlag;
import io.burst.verbs.CompletionQueue;
import io.burst.verbs.Device;
import io.burst.verbs.Gid;
import io.burst.verbs.MemoryRegion;
import io.burst.verbs.ProtectionDomain;
import io.burst.verbs.QueuePair;
import io.burst.verbs.QueuePairInit;
import io.burst.verbs.QueuePairType;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToIntFunction;
import org.osgi.framework.BundleContext;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** {@code pingpong}: plays with ibv_rc_pingpong or with another BURST, and verifies every byte that comes back. */
@Component(service = ToIntFunction.class, property = "burst.program=pingpong")
public final class PingPong extends Program {

  private static final long SILENCE_LIMIT_NS = 30_000_000_000L;

  /**
   * How long the queue pair stays after the last completion: our last acknowledgement may have been lost, and the peer,
   * which has a time-out of 67 to 268 ms, would find nobody to ask again.
   */
  private static final long LINGER_NS = 600_000_000L;

  private final BundleContext context;
  private final ConfigurationAdmin configurations;

  @Activate
  public PingPong(BundleContext context, @Reference ConfigurationAdmin configurations) {
    super("pingpong");
    this.context = context;
    this.configurations = configurations;
  }

  @Override
  int run(String[] arguments, PrintStream out, PrintStream err) throws CommandFailure {
    PingPongOptions options = PingPongOptions.parse(arguments);
    if (options == null) {
      out.print(PingPongOptions.usage());
      return 0;
    }
    try (DeviceLease lease = DeviceLease.open(context, configurations, options.device())) {
      return play(options, lease.device(), lease::activityOf, LINGER_NS, out, err);
    }
  }

  static int play(
      PingPongOptions options,
      Device device,
      DeviceLease.Activity activity,
      long lingerNs,
      PrintStream out,
      PrintStream err)
      throws CommandFailure {
    if (options.pathMtu().compareTo(device.activeMtu()) > 0) {
      throw CommandFailure.notStarted("path MTU " + options.pathMtu().bytes()
          + " is more than the link carries: give -m " + device.activeMtu().bytes() + ", or raise the interface's MTU");
    }
    if (options.gidIndex() >= device.gids().size()) {
      throw CommandFailure.notStarted("device " + device.name() + " has no GID " + options.gidIndex()
          + ": give -g 0 to " + (device.gids().size() - 1));
    }
    ByteBuffer sent = memory(options.sizeBytes());
    ByteBuffer received = memory(options.sizeBytes());
    MessagePattern.poison(received, 0, options.sizeBytes());
    try (ProtectionDomain domain = device.allocateProtectionDomain();
        MemoryRegion sendMemory = domain.registerMemory(sent, Set.of());
        MemoryRegion receiveMemory = domain.registerMemory(received, Set.of(AccessFlag.LOCAL_WRITE));
        CompletionQueue completions = device.createCompletionQueue(options.receiveDepth() + 1);
        QueuePair queuePair = domain.createQueuePair(
            new QueuePairInit(
                QueuePairType.RELIABLE_CONNECTION, completions, completions, 1, options.receiveDepth()))) {
      PingPongRun run = new PingPongRun(options, queuePair, completions, sendMemory, receiveMemory, err);
      queuePair.initialize(Set.of());
      run.postReceives();
      PeerAddress peer = meet(options, device, queuePair, out);
      PingPongData data = new PingPongData(options, peer.psn(), sent, received);
      Patience patience = new Patience(SILENCE_LIMIT_NS, activity.of(queuePair.number()));
      long elapsedNs = run.exchange(data, patience);
      report(options, run, elapsedNs, out);
      LockSupport.parkNanos(lingerNs);
      return run.mismatches() == 0 ? 0 : 1;
    }
  }

  private static ByteBuffer memory(int sizeBytes) throws CommandFailure {
    try {
      return ByteBuffer.allocateDirect(Math.max(1, sizeBytes));
    } catch (OutOfMemoryError e) {
      throw CommandFailure.notStarted("no memory for two messages of " + sizeBytes
          + " bytes: give a smaller -s, or set JDK_JAVA_OPTIONS=-XX:MaxDirectMemorySize=3g");
    }
  }

  /** Exchanges addresses and takes the queue pair to RTS. */
  private static PeerAddress meet(PingPongOptions options, Device device, QueuePair queuePair, PrintStream out)
      throws CommandFailure {
    return options.isServer()
        ? meetClient(options, device, queuePair, out)
        : meetServer(options, device, queuePair, out);
  }

  private static PeerAddress meetServer(
      PingPongOptions options, Device device, QueuePair queuePair, PrintStream out) throws CommandFailure {
    try (Exchange exchange = Exchange.connect(options.host(), options.tcpPort())) {
      int gidIndex = gidIndex(options, device, exchange.isIpv4());
      PeerAddress ours = ours(options, device, queuePair, gidIndex);
      out.println("  local address:  " + ours.describe());
      exchange.send(ours);
      PeerAddress theirs = exchange.receive();
      exchange.sendDone();
      out.println("  remote address: " + theirs.describe());
      connect(options, queuePair, theirs, gidIndex);
      return theirs;
    }
  }

  private static PeerAddress meetClient(
      PingPongOptions options, Device device, QueuePair queuePair, PrintStream out) throws CommandFailure {
    try (Exchange exchange = Exchange.accept(options.tcpPort())) {
      PeerAddress theirs = exchange.receive();
      int gidIndex = gidIndex(options, device, theirs.hasGid() ? theirs.gid().isIpv4() : exchange.isIpv4());
      PeerAddress ours = ours(options, device, queuePair, gidIndex);
      out.println("  local address:  " + ours.describe());
      out.println("  remote address: " + theirs.describe());
      connect(options, queuePair, theirs, gidIndex);
      exchange.send(ours);
      exchange.receiveDone();
      return theirs;
    }
  }

  /** An address that was asked for is the device's only one, whatever the family of the exchange. */
  private static int gidIndex(PingPongOptions options, Device device, boolean ipv4) throws CommandFailure {
    List<Gid> gids = device.gids();
    if (options.gidIndex() >= 0) {
      return options.gidIndex();
    }
    for (int index = 0; index < gids.size(); index++) {
      Gid gid = gids.get(index);
      if (options.device().address() != null || gid.isIpv4() == ipv4 && !gid.isLinkLocal()) {
        return index;
      }
    }
    throw CommandFailure.notStarted("device " + device.name() + " has no " + (ipv4 ? "IPv4" : "IPv6")
        + " address as the peer has, only " + gids + ": give the interface one, or -g");
  }

  private static PeerAddress ours(PingPongOptions options, Device device, QueuePair queuePair, int gidIndex) {
    return new PeerAddress(0, queuePair.number(), options.firstPsn(), device.gids().get(gidIndex));
  }

  private static void connect(PingPongOptions options, QueuePair queuePair, PeerAddress theirs, int gidIndex)
      throws CommandFailure {
    if (!theirs.hasGid()) {
      throw CommandFailure.notStarted("the peer sent no GID: run it with -g and the index of its IP address");
    }
    Connector.connect(queuePair, gidIndex, options.firstPsn(), options.pathMtu(), theirs);
  }

  private static void report(PingPongOptions options, PingPongRun run, long elapsedNs, PrintStream out) {
    double microseconds = elapsedNs / 1e3;
    long bytes = 2L * options.sizeBytes() * options.iterations();
    out.println(String.format(Locale.ROOT, "%d bytes in %.2f seconds = %.2f Mbit/sec",
        bytes, microseconds / 1e6, bytes * 8 / microseconds));
    out.println(String.format(Locale.ROOT, "%d iters in %.2f seconds = %.2f usec/iter",
        options.iterations(), microseconds / 1e6, microseconds / options.iterations()));
    out.println(String.format(Locale.ROOT, "%d iterations, %d messages verified, %d mismatches, seed %d",
        options.iterations(), options.iterations() - run.mismatches(), run.mismatches(), options.seed()));
  }
}
