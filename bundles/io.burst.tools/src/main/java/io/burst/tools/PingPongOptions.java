package io.burst.tools;

import io.burst.tools.Flags.Flag;
import io.burst.verbs.PathMtu;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * What the command line of pingpong asks for.
 *
 * @param host the server's name, null to be the server
 * @param gidIndex which of the device's GIDs to send from, -1 to choose by the peer's address family
 * @param check whether the peer was told to put what ibv_rc_pingpong -c looks for into its first message
 */
record PingPongOptions(
    String host,
    int tcpPort,
    DeviceSettings device,
    int sizeBytes,
    PathMtu pathMtu,
    int receiveDepth,
    int iterations,
    int gidIndex,
    boolean check,
    long seed) {

  private static final Flag PORT =
      Flag.value('p', "port", "port", "TCP port of the exchange (18515); or packet, udp: how packets travel (packet)");
  private static final Flag DEVICE = Flag.value('d', "ib-dev", "dev", "network interface, or a configured device");
  private static final Flag IB_PORT = Flag.value('i', "ib-port", "port", "port of the device: 1, there is no other");
  private static final Flag SIZE = Flag.value('s', "size", "bytes", "size of a message (4096)");
  private static final Flag MTU = Flag.value('m', "mtu", "bytes", "path MTU: 256, 512, 1024, 2048 or 4096 (1024)");
  private static final Flag DEPTH = Flag.value('r', "rx-depth", "n", "receives posted at a time (500)");
  private static final Flag ITERATIONS = Flag.value('n', "iters", "n", "exchanges (1000)");
  private static final Flag SERVICE_LEVEL = Flag.value('l', "sl", "sl", "service level, no effect without VLAN tags");
  private static final Flag GID_INDEX =
      Flag.value('g', "gid-idx", "index", "GID to send from (first of the peer's family that isn't link-local)");
  private static final Flag CHECK =
      Flag.mark('c', "chk", "expect the bytes of ibv_rc_pingpong -c in the first message; all are compared anyway");
  private static final Flag ADDRESS =
      Flag.value(Flags.NO_LETTER, "address", "ip", "local address: needed for udp, a restriction for packet");
  private static final Flag FAULT = Flag.value(Flags.NO_LETTER, "fault", "faults",
      "as in drop=0.02,duplicate=0.01,reorder=0.01,corrupt=0.01,delay=0.1,delay.ns=50000,seed=7");
  private static final Flag SEED = Flag.value(Flags.NO_LETTER, "seed", "n", "seed of the data and of the first PSN");

  /** What ibv_rc_pingpong has and this hasn't. */
  private static final List<Flag> UNSUPPORTED = List.of(
      Flag.mark('e', "events", "not supported: completions are polled"),
      Flag.mark('o', "odp", "not supported"),
      Flag.mark('O', "iodp", "not supported"),
      Flag.mark('P', "prefetch", "not supported"),
      Flag.mark('t', "ts", "not supported"),
      Flag.mark('j', "dm", "not supported"),
      Flag.mark('N', "new_send", "not supported"));

  private static final List<Flag> SUPPORTED = List.of(PORT, DEVICE, IB_PORT, SIZE, MTU, DEPTH, ITERATIONS,
      SERVICE_LEVEL, GID_INDEX, CHECK, ADDRESS, FAULT, SEED, Flags.HELP);

  private static final List<Flag> FLAGS =
      Stream.concat(SUPPORTED.stream(), UNSUPPORTED.stream()).toList();

  private static final int MOST_SIZE_BYTES = 1 << 30;
  private static final int MOST_RECEIVE_DEPTH = 1 << 16;
  private static final int MOST_GID_INDEX = 1 << 16;
  private static final int MOST_SERVICE_LEVEL = 15;

  static String usage() {
    return Flags.usage("pingpong [FLAGS] [HOST], without HOST the server", FLAGS);
  }

  /** @return null when only the usage text is wanted */
  static PingPongOptions parse(String[] arguments) throws CommandFailure {
    Flags flags = Flags.parse(arguments, FLAGS);
    if (flags.isSet(Flags.HELP)) {
      return null;
    }
    for (Flag flag : UNSUPPORTED) {
      if (flags.isSet(flag)) {
        throw CommandFailure.notStarted(
            "-" + flag.letter() + " (--" + flag.name() + ") is not supported: leave it out");
      }
    }
    if (flags.operands().size() > 1) {
      throw Flags.misuse("more than one HOST");
    }
    flags.number(IB_PORT, 1, 1, 1);
    flags.number(SERVICE_LEVEL, 0, 0, MOST_SERVICE_LEVEL);
    return new PingPongOptions(
        flags.operands().isEmpty() ? null : flags.operands().get(0),
        tcpPort(flags),
        DeviceSettings.of(flags.text(DEVICE), packetPort(flags), flags.text(ADDRESS), flags.text(FAULT)),
        (int) flags.number(SIZE, 4096, 0, MOST_SIZE_BYTES),
        pathMtu(flags),
        (int) flags.number(DEPTH, 500, 1, MOST_RECEIVE_DEPTH),
        (int) flags.number(ITERATIONS, 1000, 1, Integer.MAX_VALUE),
        (int) flags.number(GID_INDEX, -1, 0, MOST_GID_INDEX),
        flags.isSet(CHECK),
        flags.number(SEED, new SplittableRandom().nextInt(Integer.MAX_VALUE), Long.MIN_VALUE, Long.MAX_VALUE));
  }

  private static boolean isPacketPort(String value) {
    return value.equals(DeviceSettings.PACKET) || value.equals(DeviceSettings.UDP);
  }

  private static String packetPort(Flags flags) {
    return flags.all(PORT).stream()
        .filter(PingPongOptions::isPacketPort)
        .reduce(DeviceSettings.PACKET, (earlier, later) -> later);
  }

  private static int tcpPort(Flags flags) throws CommandFailure {
    int port = 18515;
    for (String value : flags.all(PORT)) {
      if (!isPacketPort(value)) {
        port = (int) Flags.number("--port", value, 1, 65535);
      }
    }
    return port;
  }

  private static PathMtu pathMtu(Flags flags) throws CommandFailure {
    try {
      return PathMtu.ofBytes((int) flags.number(MTU, 1024, 0, Integer.MAX_VALUE));
    } catch (IllegalArgumentException e) {
      throw Flags.misuse(e.getMessage());
    }
  }

  boolean isServer() {
    return host == null;
  }

  /** The first PSN, which is also what the pattern of the data is seeded with: so that the peer knows it too. */
  int firstPsn() {
    return new SplittableRandom(seed).nextInt() & 0xff_ffff;
  }
}
