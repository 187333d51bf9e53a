package io.burst.launcher;

/** What keeps a program from starting; the message is one line that says what is wrong and what to do. */
final class LaunchException extends Exception {

  private static final long serialVersionUID = 1L;

  LaunchException(String message) {
    super(message);
  }
}
