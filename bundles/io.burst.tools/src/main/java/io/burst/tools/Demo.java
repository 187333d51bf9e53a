package io.burst.tools;

import io.burst.tools.DemoTransfer.End;
import io.burst.tools.DemoTransfer.Result;
import io.burst.tools.Flags.Flag;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.ToIntFunction;
import org.osgi.framework.BundleContext;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * {@code demo}: this container and a second one, each a JVM with an engine of its own, send to each other over the
 * loopback network and verify every byte.
 */
@Component(service = ToIntFunction.class, property = "burst.program=demo")
public final class Demo extends Program {

  static final String ADDRESS_A = "127.0.0.2";
  static final String ADDRESS_B = "127.0.0.3";

  private static final Flag SECONDS =
      Flag.value(Flags.NO_LETTER, "seconds", "n", "send for so long, instead of 256 MiB");
  private static final Flag JSON = Flag.mark(Flags.NO_LETTER, "json", "print one JSON object");
  private static final List<Flag> FLAGS = List.of(SECONDS, JSON, Flags.HELP);

  /** 256 MiB, half of it each way. */
  private static final long MESSAGES = 128;

  /** What a step of a timed demo sends each way. */
  private static final long STEP_MESSAGES = 64;
  private static final long MOST_SECONDS = 7 * 86_400;

  private final BundleContext context;
  private final ConfigurationAdmin configurations;

  @Activate
  public Demo(BundleContext context, @Reference ConfigurationAdmin configurations) {
    super("demo");
    this.context = context;
    this.configurations = configurations;
  }

  @Override
  int run(String[] arguments, PrintStream out, PrintStream err) throws CommandFailure {
    Flags flags = Flags.parse(arguments, FLAGS);
    if (flags.isSet(Flags.HELP)) {
      out.print(Flags.usage("demo [--seconds N] [--json]", FLAGS));
      return 0;
    }
    if (!flags.operands().isEmpty()) {
      throw Flags.misuse("unknown argument " + flags.operands().get(0));
    }
    long seconds = flags.number(SECONDS, 0, 1, MOST_SECONDS);
    boolean json = flags.isSet(JSON);
    String distribution = context.getProperty("burst.dist");
    if (distribution == null) {
      throw CommandFailure.notStarted("the second container needs bin/burst: start the demo with it");
    }
    Progress progress = json ? Progress.none() : Progress.on(out);
    try (DeviceLease lease = DeviceLease.open(context, configurations, device("demo-a", ADDRESS_A))) {
      return DemoTransfer.with(lease.device(), End.A, lease::activityOf,
          transfer -> transfer(transfer, Path.of(distribution), lease, seconds, json, progress, out));
    }
  }

  static DeviceSettings device(String name, String address) {
    return new DeviceSettings(name, DeviceSettings.UDP, address, Map.of());
  }

  private static int transfer(
      DemoTransfer transfer,
      Path distribution,
      DeviceLease lease,
      long seconds,
      boolean json,
      Progress progress,
      PrintStream out)
      throws CommandFailure {
    DemoReport report = new DemoReport();
    try (DemoContainer other = DemoContainer.start(distribution, transfer::stop)) {
      progress.note("starting a second container");
      PeerAddress theirs = PeerAddress.parse(other.answer("ready")[0]);
      other.command("connect " + transfer.address().text());
      other.answer("connected");
      transfer.connect(theirs);
      progress.note("container A on " + ADDRESS_A + " and container B on " + ADDRESS_B + " are connected");
      if (seconds == 0) {
        step(transfer, other, MESSAGES, report, verified -> progress.at(verified, MESSAGES));
      } else {
        transferFor(seconds, transfer, other, report, progress);
      }
      progress.end();
      other.command("status");
      DemoStatus statusB = DemoStatus.parse(other.answer("status"));
      DemoStatus statusA = DemoStatus.of(lease.view());
      out.print(json ? report.json() : report.table(statusA, statusB));
      return report.isVerified() ? 0 : 1;
    } catch (CommandFailure failure) {
      progress.end();
      if (json && failure.exitStatus() == 1) {
        out.print(report.failed().json());
      }
      throw failure;
    }
  }

  private static void transferFor(
      long seconds, DemoTransfer transfer, DemoContainer other, DemoReport report, Progress progress)
      throws CommandFailure {
    long lengthNs = seconds * 1_000_000_000L;
    long startNs = System.nanoTime();
    while (System.nanoTime() - startNs < lengthNs) {
      step(transfer, other, STEP_MESSAGES, report,
          verified -> progress.at(Math.min(System.nanoTime() - startNs, lengthNs), lengthNs));
    }
  }

  private static void step(
      DemoTransfer transfer, DemoContainer other, long messages, DemoReport report, LongConsumer verified)
      throws CommandFailure {
    other.command("transfer " + messages);
    Result fromB = transfer.run(messages, verified);
    String[] words = other.answer("transferred");
    Result fromA = new Result(Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
    report.add(messages, fromA, fromB);
  }
}
