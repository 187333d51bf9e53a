package io.burst.engine.port;

/** A port that can't be opened; its message is one line that says what is wrong and what to do. */
public final class PortException extends Exception {

  private static final long serialVersionUID = 1L;

  PortException(String message) {
    super(message);
  }

  PortException(String message, Throwable cause) {
    super(message, cause);
  }
}
