package io.burst.tools;

import io.burst.verbs.AddressVector;
import io.burst.verbs.PathMtu;
import io.burst.verbs.QueuePair;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.VerbsException;

/**
 * Takes a queue pair from INIT to RTS with ibv_rc_pingpong's values: time-out 67 ms, seven retries, for ever when the
 * peer has no receive, which it may ask to wait 0.64 ms for.
 */
final class Connector {

  private static final int TIMEOUT = 14;
  private static final int RETRY_COUNT = 7;
  private static final int RNR_RETRY_COUNT = 7;
  private static final int MIN_RNR_TIMER = 12;
  private static final int NO_READS = 0;

  private Connector() {}

  /** @param firstPsn the first PSN that the queue pair sends */
  static void connect(QueuePair queuePair, int gidIndex, int firstPsn, PathMtu pathMtu, PeerAddress theirs)
      throws CommandFailure {
    AddressVector way = new AddressVector(theirs.gid(), gidIndex, 0);
    try {
      queuePair.readyToReceive(
          new ReadyToReceive(theirs.queuePairNumber(), theirs.psn(), pathMtu, way, NO_READS, MIN_RNR_TIMER));
      queuePair.readyToSend(new ReadyToSend(firstPsn, TIMEOUT, RETRY_COUNT, RNR_RETRY_COUNT, NO_READS));
    } catch (VerbsException e) {
      throw CommandFailure.notStarted(e.getMessage());
    }
  }
}
