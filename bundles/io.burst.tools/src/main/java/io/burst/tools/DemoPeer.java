package io.burst.tools;

import io.burst.tools.DemoTransfer.End;
import io.burst.tools.DemoTransfer.Result;
import io.burst.verbs.VerbsException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.ToIntFunction;
import org.osgi.framework.BundleContext;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * {@code demo-peer}: the demo's container B. {@link Demo} starts it and commands it over its standard input; when that
 * closes it ends, so nothing stays behind a demo that was killed.
 */
@Component(service = ToIntFunction.class, property = "burst.program=demo-peer")
public final class DemoPeer extends Program {

  private final BundleContext context;
  private final ConfigurationAdmin configurations;

  @Activate
  public DemoPeer(BundleContext context, @Reference ConfigurationAdmin configurations) {
    super("demo-peer");
    this.context = context;
    this.configurations = configurations;
  }

  @Override
  int run(String[] arguments, PrintStream out, PrintStream err) throws CommandFailure {
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (DeviceLease lease =
        DeviceLease.open(context, configurations, Demo.device("demo-b", Demo.ADDRESS_B))) {
      return DemoTransfer.with(lease.device(), End.B, lease::activityOf,
          transfer -> serve(transfer, lease, commands, out));
    }
  }

  private static int serve(DemoTransfer transfer, DeviceLease lease, BufferedReader commands, PrintStream out)
      throws CommandFailure {
    answer(out, "ready " + transfer.address().text());
    Thread run = null;
    try {
      for (String line = commands.readLine(); line != null; line = commands.readLine()) {
        String[] words = line.split(" ");
        switch (words[0]) {
          case "connect" -> {
            transfer.connect(PeerAddress.parse(words[1]));
            answer(out, "connected");
          }
          case "transfer" -> {
            join(run);
            run = start(transfer, Long.parseLong(words[1]), out);
          }
          case "status" -> answer(out, "status " + DemoStatus.of(lease.view()).text());
          default -> throw CommandFailure.notDone("unknown command " + line);
        }
      }
      return 0;
    } catch (IOException e) {
      throw CommandFailure.notDone("no commands: " + e.getMessage());
    } finally {
      transfer.stop("container A is gone");
      join(run);
    }
  }

  /** Runs beside the reading of commands, so that their end is noticed. */
  private static Thread start(DemoTransfer transfer, long messages, PrintStream out) {
    Thread thread = new Thread(() -> {
      try {
        Result result = transfer.run(messages, verified -> { });
        answer(out, "transferred " + result.messages() + " " + result.mismatches() + " " + result.elapsedNs());
      } catch (CommandFailure | VerbsException failure) {
        answer(out, DemoContainer.FAILED + ": " + failure.getMessage());
      }
    }, "demo-transfer");
    thread.start();
    return thread;
  }

  private static void answer(PrintStream out, String text) {
    out.println(DemoContainer.ANSWER + text);
    out.flush();
  }

  private static void join(Thread run) {
    try {
      if (run != null) {
        run.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
