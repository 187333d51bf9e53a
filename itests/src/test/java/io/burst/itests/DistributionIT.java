package io.burst.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/burst} as a user has it. */
@Timeout(120)
class DistributionIT {

  private static final Pattern UP = Pattern.compile("burst node1 is up in \\d+ ms, (\\d+) devices");
  private static final int RESIDENT_LIMIT_KB = 300 * 1024;
  private static final int SIGKILLED = 128 + 9;

  @TempDir
  Path folder;

  @Test
  void anUnknownCommandOrNoneIsOneLineOnStderr() throws Exception {
    assertMisuse(burst("nonsense"), "burst: unknown command nonsense; usage: burst ");
    assertMisuse(burst(), "burst: usage: burst ");
    assertMisuse(burst("run", "--port", "1"), "burst: unknown option --port; ");
    assertMisuse(burst("run", "--home"), "burst: option --home needs a value");
    assertMisuse(burst("run", "here"), "burst: unknown argument here; ");
    assertMisuse(burst("run", "--home", "/proc/nowhere"), "burst: can't use /proc/nowhere (it can't be made there); ");
    assertMisuse(shell("devices"), "burst: no container answers at " + folder + "/run/admin.sock; ");
    assertMisuse(execute(new ProcessBuilder(Distribution.PROGRAM.toString()), "JAVA_HOME", "/nowhere"),
        "burst: JAVA_HOME=/nowhere holds no bin/java; ");
  }

  @Test
  void itWorksThroughALinkFromAnyFolderWithSpaces() throws Exception {
    Path copy = Files.createDirectories(folder.resolve("with a space")).resolve("burst");
    copy(Distribution.FOLDER, copy);
    Path link = Files.createSymbolicLink(folder.resolve("link"), copy.resolve("bin/burst"));
    assertMisuse(execute(new ProcessBuilder(link.toString(), "nonsense").directory(folder.toFile())),
        "burst: unknown command nonsense; usage: burst ");
  }

  /** tshark finds 58 RoCEv2 packets in this capture. */
  @Test
  void aProgramRunsInAContainerOfItsOwn() throws Exception {
    Outcome decoded = burst("decode", Distribution.CAPTURES.resolve("rc-pingpong.pcap").toString());
    assertThat(decoded.status()).isZero();
    assertThat(decoded.err()).isEmpty();
    assertThat(decoded.out().lines()).hasSize(59).last()
        .isEqualTo("58 packets, 0 bad ICRCs, 0 malformed, 0 cut");
    assertMisuse(burst("decode", Distribution.PROGRAM.toString()), "burst decode: ");
  }

  @Test
  void aContainerStartsAnswersAndEnds() throws Exception {
    try (Running container = new Running()) {
      assertThat(container.devices()).isZero();
      assertThat(container.residentKb()).isLessThan(RESIDENT_LIMIT_KB);
      assertThat(Files.getPosixFilePermissions(folder.resolve("run")))
          .isEqualTo(PosixFilePermissions.fromString("rwx------"));

      assertThat(shell("devices"))
          .isEqualTo(new Outcome(0, "DEVICE  STATE  LINK_MTU  PATH_MTU  GIDS  PORT\n", ""));
      assertThat(shell("counters", "nix"))
          .isEqualTo(new Outcome(1, "", "burst: no device nix; none is configured\n"));
      assertThat(shell("nonsense").status()).isEqualTo(1);
      assertThat(shell("lb").out()).contains("BURST engine");
      assertMisuse(burst("run", "--home", folder.toString()), "burst: a container runs in " + folder + "; ");

      assertThat(container.terminate()).isZero();
    }
    assertThat(list(folder)).containsExactlyInAnyOrder("etc", "log", "run");
    assertThat(list(folder.resolve("run"))).containsExactly("lock");
    assertThat(Files.readString(folder.resolve("log/burst.log"))).doesNotContain("ERROR");
  }

  @Test
  void aConfiguredDeviceIsUp() throws Exception {
    configure("device-d1", "port = udp\naddress = 127.0.0.77\n");
    try (Running container = new Running()) {
      assertThat(container.devices()).isOne();
      assertThat(shell("devices").out().lines()).hasSize(2).last().asString().startsWith("d1      up ")
          .contains("127.0.0.77");
      assertThat(shell("counters", "d1").status()).isZero();
      assertThat(container.terminate()).isZero();
    }
  }

  @Test
  void aDeviceThatCannotBeOpenedKeepsTheContainerFromStarting() throws Exception {
    configure("device-d1", "port = packet\ninterface = nowhere0\n");
    assertMisuse(burst("run", "--home", folder.toString()), "burst: d1: ");
    assertThat(list(folder)).containsExactlyInAnyOrder("etc", "log", "run");
    assertThat(list(folder.resolve("run"))).containsExactly("lock");
  }

  @Test
  void aDeviceInAFileOfAWrongNameIsNotOverlooked() throws Exception {
    configure("device~d1", "port = udp\naddress = 127.0.0.77\n");
    assertMisuse(burst("run", "--home", folder.toString()),
        "burst: etc/io.burst.device~d1.cfg is not read as a device; name it io.burst.device-d1.cfg");
  }

  @Test
  void aFolderOfSomethingElseStaysAsItIs() throws Exception {
    Path thesis = Files.createDirectories(folder.resolve("tmp")).resolve("thesis");
    Files.writeString(thesis, "precious");
    assertMisuse(burst("run", "--home", folder.toString()), "burst: " + folder + " has a tmp that no container made; ");
    assertThat(thesis).hasContent("precious");
    assertThat(list(folder)).containsExactly("tmp");
    assertMisuse(burst("run", "--name", ".."), "burst: --name .. may hold ");
  }

  private void configure(String name, String lines) throws IOException {
    Files.writeString(Files.createDirectories(folder.resolve("etc")).resolve("io.burst." + name + ".cfg"), lines);
  }

  @Test
  void aKilledContainerIsNoHindranceToTheNext() throws Exception {
    try (Running container = new Running()) {
      container.process.destroyForcibly();
      assertThat(container.process.waitFor()).isEqualTo(SIGKILLED);
      assertThat(list(folder.resolve("run"))).contains("admin.sock");
    }
    try (Running container = new Running()) {
      assertThat(container.devices()).isZero();
      assertThat(shell("devices").status()).isZero();
    }
  }

  private static void assertMisuse(Outcome outcome, String start) {
    assertThat(outcome.status()).as(outcome.toString()).isEqualTo(2);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).startsWith(start).endsWith("\n");
    assertThat(outcome.err().lines()).hasSize(1);
  }

  private static List<String> list(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
    assertThat(to.resolve("bin/burst").toFile().setExecutable(true)).isTrue();
  }

  private Outcome shell(String... words) throws Exception {
    String[] all = Stream.concat(Stream.of("shell", "--home", folder.toString()), Stream.of(words))
        .toArray(String[]::new);
    return burst(all);
  }

  private Outcome burst(String... words) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(Distribution.PROGRAM.toString());
    builder.command().addAll(List.of(words));
    return execute(builder);
  }

  private Outcome execute(ProcessBuilder builder, String... variable) throws Exception {
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    if (variable.length > 0) {
      builder.environment().put(variable[0], variable[1]);
    }
    Path out = Files.createTempFile(folder, "out", "");
    Path err = Files.createTempFile(folder, "err", "");
    try {
      int status = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start().waitFor();
      return new Outcome(status, Files.readString(out), Files.readString(err));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }

  private record Outcome(int status, String out, String err) {}

  /** {@code burst run} in the test's folder, up when constructed. */
  private final class Running implements AutoCloseable {

    final Process process;
    private final BufferedReader out;
    private final Matcher up;

    Running() throws IOException {
      ProcessBuilder builder = new ProcessBuilder(
          Distribution.PROGRAM.toString(), "run", "--home", folder.toString(), "--name", "node1");
      builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
      process = builder.redirectErrorStream(true).start();
      out = process.inputReader();
      String line = String.valueOf(out.readLine());
      up = UP.matcher(line);
      assertThat(up.matches()).as(line).isTrue();
    }

    int devices() {
      return Integer.parseInt(up.group(1));
    }

    int residentKb() throws IOException {
      return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
          .filter(line -> line.startsWith("VmRSS:"))
          .map(line -> line.replaceAll("[^0-9]", ""))
          .mapToInt(Integer::parseInt)
          .findFirst()
          .orElseThrow();
    }

    /** Ends it by SIGTERM; nothing more than its one line was printed. */
    int terminate() throws Exception {
      process.toHandle().destroy(); // leaves the streams open
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(out.lines()).isEmpty();
      return process.exitValue();
    }

    @Override
    public void close() {
      process.destroyForcibly().onExit().join();
    }
  }
}
