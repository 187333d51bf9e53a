package io.burst.spi;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.function.ObjLongConsumer;

/**
 * Carries RoCEv2 packets, IP header to ICRC, to and from a link. {@link #receive}, {@link #send} and
 * {@link #nextDeadlineNs} belong to the worker that owns the port, allocate nothing and never block; the rest may be
 * called from any thread.
 */
public interface PacketPort extends AutoCloseable {

  /** Largest IP packet of the link. */
  int mtuBytes();

  /** The addresses that packets to us carry: global ones first, fe80::/10 last, never empty. */
  List<InetAddress> addresses();

  /**
   * Finds the way to a peer; may wait for its neighbour entry.
   *
   * @throws IOException with one line that says what is wrong, when there is none
   */
  NextHop resolve(InetAddress local, InetAddress remote) throws IOException;

  /**
   * Fills frames with packets that arrived.
   *
   * @return how many, 0 when none waits
   */
  int receive(Frame[] frames, int limit, long nowNs);

  /** Sends the first {@code count} frames, which are the caller's again on return; what the link refuses is lost. */
  void send(Frame[] frames, int count, long nowNs);

  /** When {@link #receive} has to be called even if nothing arrives; {@link Long#MAX_VALUE} for never. */
  default long nextDeadlineNs() {
    return Long.MAX_VALUE;
  }

  /**
   * The UDP source port that packets of a flow leave with, which their ICRC covers.
   *
   * @param flowPort what the flow would use where the port leaves it the choice
   */
  default int udpSourcePort(int flowPort) {
    return flowPort;
  }

  /** Names each counter with its value, in a fixed order; a value may lag behind the worker. */
  default void counters(ObjLongConsumer<String> sink) {}

  /** A descriptor that polls readable while packets wait; -1 when there is none. */
  int descriptor();

  /** Idempotent; no other call may be under way. */
  @Override
  void close();
}
