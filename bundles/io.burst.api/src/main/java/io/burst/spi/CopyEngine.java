package io.burst.spi;

/**
 * Moves received bytes from packets to their place, perhaps later and in another order than asked. One instance serves
 * one worker and is called on its thread only; it allocates nothing, blocks for nothing, and owns no thread that Java
 * code runs on.
 *
 * <p>The source stays as it is and the destination stays mapped until {@link #poll} has given the copy back.
 */
public interface CopyEngine extends AutoCloseable {

  /** Fewer bytes than this are cheaper copied by the CPU at once, and aren't handed over. */
  int smallestBytes();

  /** Copies that may be under way at once, 1 or more. */
  int capacity();

  /**
   * Takes a copy on; it needs a {@link #submit} to start.
   *
   * @param bytes 1 or more
   * @param fenced it may change nothing before all copies that were taken on before it have ended
   * @param ticket comes back with the result; any value
   * @throws IllegalStateException when {@link #capacity} copies are under way
   */
  void enqueue(long from, long to, int bytes, boolean fenced, long ticket);

  /** Starts all that was taken on. */
  void submit();

  /**
   * Takes a copy back that has ended, in any order: its bytes are visible to every thread, or it failed, and what its
   * destination holds is undefined.
   *
   * @param into filled only when the result is true
   */
  boolean poll(CopyResult into);

  /** Ends once nothing is under way any more. */
  @Override
  void close();
}
