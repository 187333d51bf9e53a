package io.burst.tools;

import java.nio.ByteBuffer;

/**
 * What one end of pingpong sends and what it must receive. ibv_rc_pingpong sends and receives in the same memory, so
 * what arrives from it is the message that it received last: our echo, or, as the first message of a client, the bytes
 * that its memory started with. A BURST peer sends a pattern of its own, seeded with its first PSN. Which of the two
 * the peer is shows with the first message that only one explains. Belongs to the program's thread.
 */
final class PingPongData {

  /** What ibv_rc_pingpong's memory starts with; with -c, the first byte of each page is 0. */
  private static final byte ORIGINAL_FILL = 0x7b;

  private static final long SERVER_SEED = 1L << 24;

  private final boolean server;
  private final boolean check;
  private final int sizeBytes;
  private final ByteBuffer sent;
  private final ByteBuffer received;
  private final MessagePattern ours;
  private final MessagePattern theirs;
  private boolean mayEcho = true;
  private boolean mayBeFresh = true;

  /**
   * @param sent where our messages are sent from; still holds the last one when an echo is checked
   * @param received where messages arrive
   */
  PingPongData(PingPongOptions options, int theirFirstPsn, ByteBuffer sent, ByteBuffer received) {
    this.sent = sent;
    this.received = received;
    server = options.isServer();
    check = options.check();
    sizeBytes = options.sizeBytes();
    ours = pattern(server, options.firstPsn(), options.iterations());
    theirs = pattern(!server, theirFirstPsn, options.iterations());
  }

  /** A server run as ibv_rc_pingpong -c looks for a 0 at the start of each page after the client's last message. */
  private static MessagePattern pattern(boolean server, int firstPsn, int iterations) {
    return server
        ? new MessagePattern(SERVER_SEED | firstPsn)
        : new MessagePattern(firstPsn, iterations);
  }

  /** @param iteration counts from 1 */
  void prepareSend(int iteration) {
    ours.fill(sent, 0, sizeBytes, iteration);
  }

  /** What was received has been looked at; nothing else arrives before the next send. */
  void poison() {
    MessagePattern.poison(received, 0, sizeBytes);
  }

  /**
   * Compares every byte of the message that arrived.
   *
   * @param iteration counts from 1
   * @return the offset of the first byte that nothing explains, -1 when there is none
   */
  int mismatch(int iteration) {
    int echoMismatch = mayEcho ? echoMismatch(iteration) : 0;
    int freshMismatch = mayBeFresh ? theirs.mismatch(received, 0, sizeBytes, iteration) : 0;
    boolean echo = mayEcho && echoMismatch < 0;
    boolean fresh = mayBeFresh && freshMismatch < 0;
    if (!echo && !fresh) {
      return Math.max(echoMismatch, freshMismatch);
    }
    mayEcho = echo;
    mayBeFresh = fresh;
    return -1;
  }

  private int echoMismatch(int iteration) {
    if (server && iteration == 1) {
      return originalMismatch();
    }
    return received.slice(0, sizeBytes).mismatch(sent.slice(0, sizeBytes));
  }

  private int originalMismatch() {
    for (int i = 0; i < sizeBytes; i++) {
      byte value = received.get(i);
      boolean pageStart = i % MessagePattern.PAGE_BYTES == 0;
      boolean right = check && i == 0 ? value == 0 : value == ORIGINAL_FILL || pageStart && value == 0;
      if (!right) {
        return i;
      }
    }
    return -1;
  }
}
