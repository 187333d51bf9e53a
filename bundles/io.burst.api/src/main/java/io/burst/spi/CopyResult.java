package io.burst.spi;

/** What became of one copy. Mutable and reused, so that polling allocates nothing. */
public final class CopyResult {

  /** As it was given to {@link CopyEngine#enqueue}. */
  public long ticket;

  public boolean failed;
}
