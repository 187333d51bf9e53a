package io.burst.itests.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The rig's program verbs-peer in the guest: takes a command, gives its answer. For one thread; a daemon thread reads
 * the answers.
 */
final class VerbsPeer implements AutoCloseable {

  /** Longer than any poll. */
  private static final long ANSWER_TIMEOUT_S = 360;
  private static final String END = "";

  private final Process process;
  private final Writer commands;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  /** @param process verbs-peer, with nobody else at its input and output */
  VerbsPeer(Process process) {
    this.process = process;
    commands = process.outputWriter();
    Thread reader = new Thread(this::readAnswers, "verbs-peer-answers");
    reader.setDaemon(true);
    reader.start();
  }

  private void readAnswers() {
    try (BufferedReader lines = process.inputReader()) {
      lines.lines().forEach(answers::add);
    } catch (IOException | UncheckedIOException e) {
      answers.add("error " + e.getMessage());
    }
    answers.add(END);
  }

  /**
   * @param command its name and its key=value words
   * @return the answer's key=value words
   * @throws IllegalStateException with the reason, when it could not be done
   */
  Map<String, String> ask(String command) {
    String answer = exchange(command);
    String[] words = answer.split(" ");
    if (!words[0].equals("ok")) {
      throw new IllegalStateException(command + ": " + answer);
    }
    Map<String, String> values = new HashMap<>();
    for (int i = 1; i < words.length; i++) {
      String[] keyAndValue = words[i].split("=", 2);
      values.put(keyAndValue[0], keyAndValue[1]);
    }
    return values;
  }

  /** @return the line that answers a line */
  String exchange(String line) {
    try {
      commands.write(line + "\n");
      commands.flush();
      String answer = answers.poll(ANSWER_TIMEOUT_S, TimeUnit.SECONDS);
      if (answer == null || answer.equals(END)) {
        throw new IllegalStateException("verbs-peer has " + (answer == null ? "no answer to " : "ended at ") + line);
      }
      return answer;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws IOException {
    commands.close();
    process.onExit().orTimeout(ANSWER_TIMEOUT_S, TimeUnit.SECONDS).join();
  }
}
