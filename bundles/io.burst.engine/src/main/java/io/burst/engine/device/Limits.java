package io.burst.engine.device;

import io.burst.verbs.VerbsException;

/** What the device offers at most (ibv_device_attr), and the check that a value stays within. */
final class Limits {
  /** As RNICs report it (max_msg_sz). */
  static final long LONGEST_MESSAGE_BYTES = 1L << 31;

  /** As many as ConnectX has (max_qp_rd_atom). */
  static final int DEEPEST_READ_ATOMIC = 16;

  static final int DEEPEST_QUEUE = 1 << 16;
  static final int LONGEST_INLINE_BYTES = 1024;

  /** As RNICs report it (max_cqe). */
  static final int LARGEST_COMPLETION_QUEUE = 1 << 22;

  private Limits() {}

  /** Returns the value; EINVAL unless it is in the range. */
  static int check(String what, int value, int lowest, int highest) {
    if (value < lowest || value > highest) {
      throw new VerbsException("EINVAL: " + what + " " + value + " is not in " + lowest + ".." + highest);
    }
    return value;
  }

  static void checkLength(long lengthBytes) {
    if (lengthBytes < 0 || lengthBytes > LONGEST_MESSAGE_BYTES) {
      throw new VerbsException("EINVAL: length " + lengthBytes + " is not in 0.." + LONGEST_MESSAGE_BYTES);
    }
  }
}
