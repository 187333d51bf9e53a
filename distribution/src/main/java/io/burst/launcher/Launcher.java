package io.burst.launcher;

import java.nio.file.Path;
import java.util.List;

/**
 * The entry of {@code bin/burst}: starts a container, runs one program in it, and ends with the program's status.
 * {@code run} gets a lasting home, every other program a temporary one. The main thread runs the program; the JVM's
 * shutdown hook closes the container, whether the program ended or a signal came.
 */
final class Launcher {

  /** Could not start: misuse, privilege, environment. */
  static final int STATUS_NOT_STARTED = 2;

  private static final String SERVICE = "run";

  private final String program;
  private final List<String> arguments;
  private final Home home;
  private final Container container;
  private volatile boolean ended;

  private Launcher(String program, List<String> arguments, Home home, String name) {
    this.program = program;
    this.arguments = arguments;
    this.home = home;
    container = new Container(Path.of(System.getProperty("burst.dist")), home, name);
  }

  public static void main(String[] arguments) {
    List<String> words = List.of(arguments);
    System.exit(launch(words.isEmpty() ? "" : words.get(0), words.isEmpty() ? words : words.subList(1, words.size())));
  }

  private static int launch(String program, List<String> arguments) {
    try {
      return prepare(program, arguments).run();
    } catch (LaunchException e) {
      System.err.println("burst: " + e.getMessage());
      return STATUS_NOT_STARTED;
    }
  }

  private static Launcher prepare(String program, List<String> arguments) throws LaunchException {
    if (program.equals(SERVICE)) {
      Options options = Options.parse(arguments);
      if (!options.rest().isEmpty()) {
        throw new LaunchException("unknown argument " + options.rest().get(0) + "; usage: burst run " + Options.USAGE);
      }
      return new Launcher(program, List.of(), Home.lasting(options.home()), options.name());
    }
    return new Launcher(program, arguments, Home.temporary(), "burst-" + ProcessHandle.current().pid());
  }

  private int run() throws LaunchException {
    Runtime.getRuntime().addShutdownHook(new Thread(this::close, "burst-close"));
    try {
      container.start();
      return container.run(program, arguments);
    } finally {
      ended = true;
    }
  }

  private void close() {
    boolean signalled = !ended;
    container.close();
    home.close();
    if (signalled && program.equals(SERVICE)) {
      // For a service a signal is the regular end, which the JVM would report as 128 + signal.
      Runtime.getRuntime().halt(0);
    }
  }
}
