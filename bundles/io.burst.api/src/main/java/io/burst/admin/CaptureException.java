package io.burst.admin;

import java.io.IOException;

/** A file that is not a capture; the message is one line for the user. */
public final class CaptureException extends IOException {

  private static final long serialVersionUID = 1L;

  public CaptureException(String message) {
    super(message);
  }
}
