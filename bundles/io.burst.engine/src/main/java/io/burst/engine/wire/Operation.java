package io.burst.engine.wire;

/** What a packet asks for, or what it answers. */
public enum Operation {
  SEND(true),
  WRITE(true),
  READ_REQUEST(true),
  READ_RESPONSE(false),
  ACKNOWLEDGE(false),
  ATOMIC_ACKNOWLEDGE(false),
  COMPARE_SWAP(true),
  FETCH_ADD(true),
  FLUSH(true),
  ATOMIC_WRITE(true),
  CNP(false);

  private final boolean request;

  Operation(boolean request) {
    this.request = request;
  }

  /** True for what a requester sends; false for a responder's answers and for the CNP. */
  public boolean isRequest() {
    return request;
  }

  /** True for what a responder sends back to a requester. */
  public boolean isResponse() {
    return !request && this != CNP;
  }
}
