package io.burst.tools;

/** Why a program ends early: one line for the user and the exit status. */
final class CommandFailure extends Exception {

  private static final long serialVersionUID = 1L;

  private final int exitStatus;

  private CommandFailure(int exitStatus, String line) {
    super(line);
    this.exitStatus = exitStatus;
  }

  /** Nothing was done: misuse, privilege or environment. */
  static CommandFailure notStarted(String line) {
    return new CommandFailure(2, line);
  }

  /** Something that was asked for was not done, or not verified. */
  static CommandFailure notDone(String line) {
    return new CommandFailure(1, line);
  }

  int exitStatus() {
    return exitStatus;
  }
}
