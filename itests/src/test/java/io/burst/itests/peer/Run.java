package io.burst.itests.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process and everything that it prints, for one thread. */
final class Run implements AutoCloseable {

  private final List<String> command;
  private final Path printed;
  private final Process process;

  private Run(List<String> command, Path printed, Process process) {
    this.command = command;
    this.printed = printed;
    this.process = process;
  }

  /** Starts it with the JVM of the tests as its JAVA_HOME and nothing to read. */
  static Run start(List<String> command) throws IOException {
    Path printed = Files.createTempFile("burst-peer", ".txt");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(printed.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.start();
    process.getOutputStream().close();
    return new Run(command, printed, process);
  }

  boolean isRunning() {
    return process.isAlive();
  }

  /** @throws IllegalStateException when it takes longer */
  int exitStatus(long timeoutSeconds) throws InterruptedException, IOException {
    if (!process.waitFor(timeoutSeconds, TimeUnit.SECONDS)) {
      throw new IllegalStateException(command + " did not end within " + timeoutSeconds + " s: " + printed());
    }
    return process.exitValue();
  }

  String printed() throws IOException {
    return Files.readString(printed);
  }

  @Override
  public void close() throws IOException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    Files.delete(printed);
  }
}
