package io.burst.itests.peer;

/** Who posts the requests. */
enum Role {
  BURST_STARTS,
  GUEST_STARTS
}
