package io.burst.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burst.tools.DemoTransfer.End;
import io.burst.tools.DemoTransfer.Result;
import io.burst.verbs.Device;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DemoTransferTest {

  private final FakeFabric fabric = new FakeFabric();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CompletableFuture<PeerAddress> addressA = new CompletableFuture<>();
  private final CompletableFuture<PeerAddress> addressB = new CompletableFuture<>();
  private final CompletableFuture<Void> connectedA = new CompletableFuture<>();
  private final CompletableFuture<Void> connectedB = new CompletableFuture<>();
  private final List<Result> results = new ArrayList<>();
  private Device device;

  @BeforeEach
  void open() throws Exception {
    device = fabric.device(InetAddress.getByName("127.0.0.2"));
  }

  @AfterEach
  void endThreads() throws InterruptedException {
    threads.shutdownNow();
    assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    assertThat(fabric.leftOpen()).isZero();
  }

  private Future<Integer> end(End end, DemoTransfer.Body body) {
    boolean isA = end == End.A;
    return threads.submit(() -> DemoTransfer.with(device, end, number -> () -> 0, transfer -> {
      (isA ? addressA : addressB).complete(transfer.address());
      transfer.connect((isA ? addressB : addressA).join());
      (isA ? connectedA : connectedB).complete(null);
      (isA ? connectedB : connectedA).join();
      return body.run(transfer);
    }));
  }

  private int runTwice(DemoTransfer transfer) throws CommandFailure {
    for (int i = 0; i < 2; i++) {
      Result result = transfer.run(20, verified -> { });
      synchronized (results) {
        results.add(result);
      }
    }
    return 0;
  }

  @Test
  void bothEndsVerifyRunAfterRunAndNoMessageFindsNoReceive() throws Exception {
    Future<Integer> a = end(End.A, this::runTwice);
    Future<Integer> b = end(End.B, this::runTwice);
    a.get();
    b.get();
    assertThat(results).hasSize(4).allMatch(result -> result.isVerified(20));
  }

  @Test
  void countsAMessageWithOneWrongByte() throws Exception {
    fabric.tamper((message, bytes) -> {
      if (message == 9) {
        bytes[DemoTransfer.MESSAGE_BYTES - 1] ^= 0x40;
      }
    });
    Future<Integer> a = end(End.A, this::runTwice);
    Future<Integer> b = end(End.B, this::runTwice);
    a.get();
    b.get();
    assertThat(results).filteredOn(result -> result.mismatches() == 1).hasSize(2);
    assertThat(results).filteredOn(result -> result.isVerified(20)).hasSize(2);
  }

  @Test
  void stopsWhenToldTo() {
    Future<Integer> a = end(End.A, transfer -> {
      transfer.stop("container B ended");
      return runTwice(transfer);
    });
    Future<Integer> b = end(End.B, transfer -> 0);
    assertThatThrownBy(a::get).isInstanceOf(ExecutionException.class).hasMessageEndingWith("container B ended");
    assertThat(b).succeedsWithin(10, TimeUnit.SECONDS);
  }

  @Test
  void reportsWhatWasVerified() {
    DemoReport report = new DemoReport();
    report.add(2, new Result(2, 0, 1_000_000_000L), new Result(2, 0, 2_000_000_000L));
    assertThat(report.isVerified()).isTrue();
    assertThat(report.json()).isEqualTo("{\"ok\": true, \"bytes\": 4194304, \"verified\": 4194304, \"seconds\": 2.000,"
        + " \"steps\": [{\"name\": \"transfer\", \"ok\": true, \"bytes\": 4194304, \"verified\": 4194304,"
        + " \"seconds\": 2.000}]}\n");
    assertThat(report.table(new DemoStatus(3, 200_000), new DemoStatus(0, 100_000))).isEqualTo("""
        direction  messages        bytes     verified  seconds    Gb/s  retransmitted
        A to B            2      2097152      2097152     1.00    0.02              3
        B to A            2      2097152      2097152     2.00    0.01              0
        VmRSS: container A 204 MB, container B 102 MB
        all bytes verified
        """);
    report.add(2, new Result(2, 1, 1), new Result(2, 0, 1));
    assertThat(report.isVerified()).isFalse();
    assertThat(report.json()).startsWith("{\"ok\": false, \"bytes\": 8388608, \"verified\": 7340032,");
  }

  @Test
  void isNotVerifiedWhenAStepBrokeOff() {
    assertThat(new DemoReport().failed().json())
        .isEqualTo("{\"ok\": false, \"bytes\": 0, \"verified\": 0, \"seconds\": 0.000, \"steps\": []}\n");
  }
}
