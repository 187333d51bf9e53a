package io.burst.engine.sim;

import io.burst.engine.port.FaultPort;
import io.burst.engine.port.Frames;
import io.burst.engine.qp.CompletionRing;
import io.burst.engine.qp.Counters;
import io.burst.engine.qp.Endpoint;
import io.burst.engine.qp.MemoryTable;
import io.burst.engine.qp.Path;
import io.burst.engine.wire.Flow;
import io.burst.spi.Frame;
import io.burst.verbs.Completion;
import io.burst.verbs.Gid;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** One end of a simulated run: an endpoint on a faulty port, and an application on each of its queue pairs. */
final class Peer {
  private static final int BATCH = 16;
  private static final int COMPLETIONS = 256;

  final Counters counters = new Counters();
  final MemoryTable table = new MemoryTable();
  final CompletionRing completions = new CompletionRing(COMPLETIONS);
  final Endpoint endpoint;
  final List<Application> applications = new ArrayList<>();

  private final FaultPort port;
  private final Frame[] received;
  private final Frame[] sent;
  private final Completion completion = new Completion();

  Peer(SplittableRandom random, FaultPort port) {
    this.port = port;
    endpoint = new Endpoint(table, counters, random.nextInt(), (connection, defect) -> { throw defect; });
    received = Frames.allocate(BATCH, port.mtuBytes());
    sent = Frames.allocate(BATCH, port.mtuBytes());
  }

  /** The way from one of its queue pairs to one of the other end. */
  Path path(Peer other, int number, int otherNumber) throws IOException {
    InetAddress local = port.addresses().get(0);
    InetAddress remote = other.port.addresses().get(0);
    Flow flow = new Flow(local, remote, Flow.sourcePort(number, otherNumber), 0);
    return new Path(flow, port.resolve(local, remote), Gid.of(local), Gid.of(remote));
  }

  /** Everything that this end does at one moment. */
  void run(long nowNs) {
    boolean busy;
    do {
      applications.forEach(application -> application.post(nowNs));
      int arrived = port.receive(received, BATCH, nowNs);
      for (int i = 0; i < arrived; i++) {
        endpoint.onFrame(received[i], nowNs);
      }
      endpoint.onTimeout(nowNs);
      int departing = endpoint.pollTransmit(sent, nowNs);
      port.send(sent, departing, nowNs);
      busy = arrived + departing > 0 | checkCompletions();
    } while (busy);
  }

  long nextEventNs() {
    long next = Math.min(port.nextDeadlineNs(), endpoint.nextDeadlineNs());
    for (Application application : applications) {
      next = Math.min(next, application.nextPostNs());
    }
    return next;
  }

  boolean isDone() {
    return applications.stream().allMatch(Application::isDone);
  }

  /** Queue pairs that gave up, here or at the other end. */
  long givenUp() {
    return applications.stream().filter(Application::isGivenUp).count();
  }

  void checkEnd() {
    applications.forEach(Application::checkEnd);
  }

  /** Faults that its port has injected. */
  long faults() {
    long[] sum = new long[1];
    port.counters((name, value) -> sum[0] += name.startsWith("fault_") ? value : 0);
    return sum[0];
  }

  private boolean checkCompletions() {
    boolean any = false;
    while (completions.poll(completion)) {
      any = true;
      find(completion.queuePairNumber).check(completion);
    }
    return any;
  }

  private Application find(int number) {
    for (Application application : applications) {
      if (application.connection.number() == number) {
        return application;
      }
    }
    throw new AssertionError("a completion of queue pair " + number + ", which is nobody's");
  }
}
