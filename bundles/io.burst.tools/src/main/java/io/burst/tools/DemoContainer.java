package io.burst.tools;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The demo's second container: a process that takes commands on its standard input and answers on its standard output,
 * and that ends when its input does. Belongs to the program's thread; two daemon threads read what it prints.
 */
final class DemoContainer implements AutoCloseable {

  /** Starts each answer, so that nothing else that a JVM prints is taken for one. */
  static final String ANSWER = "burst-demo ";

  /** The answer to any command that could not be done; the reason follows. */
  static final String FAILED = "failed";

  private static final long ANSWER_TIMEOUT_S = 120;
  private static final long END_TIMEOUT_S = 10;
  private static final String END = "";

  private final Process process;
  private final BufferedWriter commands;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final Consumer<String> onEnd;
  private volatile String complaint;

  private DemoContainer(Process process, Consumer<String> onEnd) {
    this.process = process;
    this.onEnd = onEnd;
    commands = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    daemon("demo-answers", this::readAnswers);
    daemon("demo-complaints", this::readComplaints);
  }

  /** @param onEnd told on another thread, with one line, when it failed or its output ended */
  static DemoContainer start(Path distribution, Consumer<String> onEnd) throws CommandFailure {
    String program = distribution.resolve("bin").resolve("burst").toString();
    try {
      return new DemoContainer(new ProcessBuilder(program, "demo-peer").start(), onEnd);
    } catch (IOException e) {
      throw CommandFailure.notStarted("the second container can't be started: " + e.getMessage());
    }
  }

  private static void daemon(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void readAnswers() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(ANSWER)) {
          answered(line.substring(ANSWER.length()));
        }
      }
    } catch (IOException e) {
      complaint = e.getMessage();
    }
    answers.add(END);
    onEnd.accept("container B ended");
  }

  private void answered(String answer) {
    if (answer.startsWith(FAILED)) {
      onEnd.accept("container B" + answer.substring(FAILED.length()));
    }
    answers.add(answer);
  }

  private void readComplaints() {
    try (BufferedReader lines = new BufferedReader(
        new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        complaint = line;
      }
    } catch (IOException e) {
      complaint = e.getMessage();
    }
  }

  void command(String line) throws CommandFailure {
    try {
      commands.write(line);
      commands.newLine();
      commands.flush();
    } catch (IOException e) {
      throw ended();
    }
  }

  /** @return the words behind the one expected */
  String[] answer(String expected) throws CommandFailure {
    String answer;
    try {
      answer = answers.poll(ANSWER_TIMEOUT_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CommandFailure.notDone("interrupted");
    }
    if (answer == null) {
      throw CommandFailure.notDone("container B did not answer within " + ANSWER_TIMEOUT_S + " s");
    }
    if (answer.equals(END)) {
      throw ended();
    }
    String[] words = answer.split(" ");
    if (words[0].equals(FAILED)) {
      throw CommandFailure.notDone("container B" + answer.substring(FAILED.length()));
    }
    if (!words[0].equals(expected)) {
      throw CommandFailure.notDone("container B answered " + answer + " instead of " + expected);
    }
    return Arrays.copyOfRange(words, 1, words.length);
  }

  private CommandFailure ended() {
    int status = end();
    String why = "container B ended with status " + status + (complaint == null ? "" : ": " + complaint);
    return status == 2 ? CommandFailure.notStarted(why) : CommandFailure.notDone(why);
  }

  private int end() {
    try {
      commands.close();
    } catch (IOException e) {
      complaint = complaint == null ? e.getMessage() : complaint;
    }
    try {
      if (!process.waitFor(END_TIMEOUT_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      return process.waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      return -1;
    }
  }

  /** Returns when the process is gone. */
  @Override
  public void close() {
    end();
  }
}
