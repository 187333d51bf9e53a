package io.burst.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burst.verbs.Device;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PingPongTest {

  private final FakeFabric fabric = new FakeFabric();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private Device device;
  private int tcpPort;

  @BeforeEach
  void findAPort() throws IOException {
    device = fabric.device(InetAddress.getByName("fe80::1"), InetAddress.getByName("fd77::1"),
        InetAddress.getByName("10.77.0.1"));
    try (ServerSocket socket = new ServerSocket(0)) {
      tcpPort = socket.getLocalPort();
    }
  }

  @AfterEach
  void endThreads() throws InterruptedException {
    threads.shutdownNow();
    assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    assertThat(fabric.leftOpen()).isZero();
  }

  private int play(String flags) throws CommandFailure {
    PingPongOptions options = PingPongOptions.parse(("-d e0 -p " + tcpPort + " " + flags).split(" "));
    return PingPong.play(options, device, number -> () -> 0, 0,
        new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  /** Starts over while the server does not listen yet. */
  private <T> T whenListening(Callable<T> client) throws Exception {
    while (true) {
      try {
        return client.call();
      } catch (CommandFailure failure) {
        if (!failure.getMessage().startsWith("no connection")) {
          throw failure;
        }
      } catch (ConnectException notYet) {
        Thread.onSpinWait();
      }
      Thread.yield();
    }
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4096, 65537})
  void playsWithItselfAndBothEndsVerify(int sizeBytes) throws Exception {
    String flags = "-n 20 -c -s " + sizeBytes;
    Future<Integer> server = threads.submit(() -> play(flags));
    assertThat(whenListening(() -> play(flags + " 127.0.0.1"))).isZero();
    assertThat(server.get()).isZero();
    assertThat(printed().lines().filter(line -> line.startsWith("20 iterations, 20 messages verified, 0 mismatches")))
        .hasSize(2);
    assertThat(err.size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4096, 65537})
  void playsWithTheOriginalAsServer(int sizeBytes) throws Exception {
    Future<Integer> original = threads.submit(() -> {
      try (ServerSocket listener = new ServerSocket(tcpPort)) {
        return new OriginalPeer(sizeBytes, 20, true).run(device, listener.accept(), true);
      }
    });
    assertThat(whenListening(() -> play("-n 20 -r 3 -s " + sizeBytes + " 127.0.0.1"))).isZero();
    assertThat(original.get()).isZero();
    assertThat(printed())
        .contains("  local address:  LID 0x0000, QPN 0x")
        .contains(", GID ::ffff:10.77.0.1")
        .contains("  remote address: LID 0x0000, QPN 0x")
        .contains(2 * 20 * sizeBytes + " bytes in ")
        .contains("20 iters in ")
        .contains("20 iterations, 20 messages verified, 0 mismatches");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4096, 65537})
  void playsWithTheOriginalAsClient(int sizeBytes) throws Exception {
    for (boolean check : new boolean[] {true, false}) {
      Future<Integer> ours = threads.submit(() -> play("-n 20 -s " + sizeBytes + (check ? " -c" : "")));
      whenListening(() ->
          new OriginalPeer(sizeBytes, 20, check).run(device, new Socket("127.0.0.1", tcpPort), false));
      assertThat(ours.get()).isZero();
    }
  }

  @Test
  void missesWhatTheOriginalPutsInItsFirstMessageOnlyWithCheck() throws Exception {
    Future<Integer> ours = threads.submit(() -> play("-n 3 -s 5000 -c"));
    whenListening(() -> new OriginalPeer(5000, 3, false).run(device, new Socket("127.0.0.1", tcpPort), false));
    assertThat(ours.get()).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("message 1 differs at byte 0\n");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4095, 4096, 16384, 65536})
  void findsOneFlippedBitOfAnEcho(int offset) throws Exception {
    int[] sevenths = {0};
    fabric.tamper((message, bytes) -> {
      if (message == 7 && ++sevenths[0] == 2) {
        bytes[offset] ^= 1;
      }
    });
    Future<Integer> original = threads.submit(() -> {
      try (ServerSocket listener = new ServerSocket(tcpPort)) {
        return new OriginalPeer(65537, 20, true).run(device, listener.accept(), true);
      }
    });
    assertThat(whenListening(() -> play("-n 20 -s 65537 127.0.0.1"))).isEqualTo(1);
    original.get();
    assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("message 7 differs at byte " + offset + "\n");
    assertThat(printed()).contains("20 iterations, 19 messages verified, 1 mismatches");
  }

  @Test
  void findsAMessageThatIsAnOlderOne() throws Exception {
    byte[][] third = new byte[1][];
    fabric.tamper((message, bytes) -> {
      if (message == 3) {
        third[0] = bytes.clone();
      } else if (message == 5) {
        System.arraycopy(third[0], 0, bytes, 0, bytes.length);
      }
    });
    Future<Integer> server = threads.submit(() -> play("-n 8 -s 100"));
    assertThat(whenListening(() -> play("-n 8 -s 100 127.0.0.1"))).isEqualTo(1);
    assertThat(server.get()).isEqualTo(1);
  }

  @Test
  void usesIpv6WhereThePeerDoesAndTheGidAskedFor() throws Exception {
    Future<Integer> server = threads.submit(() -> play("-n 2"));
    assertThat(whenListening(() -> play("-n 2 ::1"))).isZero();
    assertThat(server.get()).isZero();
    assertThat(printed().lines().filter(line -> line.endsWith("GID fd77:0:0:0:0:0:0:1"))).hasSize(4);
    out.reset();
    Future<Integer> again = threads.submit(() -> play("-n 2"));
    assertThat(whenListening(() -> play("-n 2 -g 2 ::1"))).isZero();
    assertThat(again.get()).isZero();
    assertThat(printed().lines().filter(line -> line.endsWith("GID ::ffff:10.77.0.1"))).hasSize(4);
  }

  @Test
  void usesTheOnlyAddressOfADeviceThatWasRestrictedToIt() throws Exception {
    device = fabric.device(InetAddress.getByName("fd77::1"));
    Future<Integer> server = threads.submit(() -> play("-n 2"));
    assertThat(whenListening(() -> play("-n 2 --address fd77::1 127.0.0.1"))).isZero();
    assertThat(server.get()).isZero();
  }

  @Test
  void refusesWhatCanNotStart() throws Exception {
    refused("-m 4096 127.0.0.1", "path MTU 4096 is more than the link carries: give -m 2048");
    refused("-g 3", "device fake has no GID 3: give -g 0 to 2");
    refused("-g 3 127.0.0.1", "device fake has no GID 3: give -g 0 to 2");
    refused("127.0.0.1", "no connection to TCP port " + tcpPort + " of 127.0.0.1");
    try (ServerSocket busy = new ServerSocket(tcpPort)) {
      refused("-n 1", "TCP port " + busy.getLocalPort() + " can't be listened on");
    }
    try (ServerSocket listener = new ServerSocket(tcpPort)) {
      Future<?> foreign = threads.submit(() -> {
        try (Socket socket = listener.accept()) {
          socket.getOutputStream().write("HTTP/1.1 400 Bad Request and what else a web server has to say\r\n"
              .getBytes(StandardCharsets.US_ASCII));
          return socket.getInputStream().readNBytes(52);
        }
      });
      refused("127.0.0.1", "the peer sent not an address as ibv_rc_pingpong sends it");
      foreign.get();
    }
  }

  private void refused(String flags, String complaint) {
    assertThatThrownBy(() -> play(flags)).isInstanceOfSatisfying(CommandFailure.class, failure -> {
      assertThat(failure.exitStatus()).isEqualTo(2);
      assertThat(failure.getMessage()).startsWith(complaint).doesNotContain("\n");
    });
  }

  @Test
  void endsWith1WhenAMessageIsNotDelivered() throws Exception {
    Future<Integer> original = threads.submit(() -> {
      try (ServerSocket listener = new ServerSocket(tcpPort)) {
        return new OriginalPeer(10, 2, false).run(device, listener.accept(), true);
      }
    });
    assertThatThrownBy(() -> whenListening(() -> play("-n 4 -s 10 127.0.0.1")))
        .isInstanceOfSatisfying(CommandFailure.class, failure -> {
          assertThat(failure.exitStatus()).isEqualTo(1);
          assertThat(failure).hasMessage("Failed status RETRY_EXCEEDED (12) for wr_id 2 after 2 of 4 iterations");
        });
    assertThat(original.get(10, TimeUnit.SECONDS)).isZero();
  }

  @Test
  void takesAnAnswerForTheAcknowledgementOfTheClientsLastMessage() throws Exception {
    fabric.loseAcknowledgement(20);
    Future<?> original = threads.submit(() -> {
      try (ServerSocket listener = new ServerSocket(tcpPort)) {
        return new OriginalPeer(10, 20, true).run(device, listener.accept(), true);
      }
    });
    assertThat(whenListening(() -> play("-n 20 -s 10 127.0.0.1"))).isZero();
    original.cancel(true);
  }

  @Test
  void failsOnAnyOtherMissingAcknowledgement() throws Exception {
    fabric.loseAcknowledgement(19);
    Future<?> original = threads.submit(() -> {
      try (ServerSocket listener = new ServerSocket(tcpPort)) {
        return new OriginalPeer(10, 20, true).run(device, listener.accept(), true);
      }
    });
    assertThatThrownBy(() -> whenListening(() -> play("-n 20 -s 10 127.0.0.1")))
        .hasMessage("Failed status RETRY_EXCEEDED (12) for wr_id 2 after 19 of 20 iterations");
    original.cancel(true);
  }

  @Test
  void givesUpOnASilentPeer() {
    long[] packets = {0};
    Patience patience = new Patience(1, () -> packets[0]);
    assertThatThrownBy(() -> {
      while (true) {
        patience.idle();
      }
    }).isInstanceOfSatisfying(CommandFailure.class, failure -> assertThat(failure.exitStatus()).isEqualTo(1));
  }
}
