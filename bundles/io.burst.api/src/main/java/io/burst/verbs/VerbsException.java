package io.burst.verbs;

/** A verb that could not be done; the message names the errno of the ibv call and says what is wrong. */
public final class VerbsException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public VerbsException(String message) {
    super(message);
  }

  public VerbsException(String message, Throwable cause) {
    super(message, cause);
  }
}
