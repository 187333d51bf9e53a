package io.burst.engine.qp;

import java.util.Arrays;

/**
 * All regions of a device by key. Changed under its lock by control threads, read by workers without one: a change
 * becomes visible with the volatile write of the table, and whoever removes a region waits for the workers' next round
 * before the memory may go.
 *
 * <p>A key is an index (24 bits) and a part that changes each time the index is used anew (8 bits), so that an old key
 * doesn't reach a new region.
 */
public final class MemoryTable {
  private static final int TAG_BITS = 8;
  private static final int TAG_MASK = (1 << TAG_BITS) - 1;
  private static final int MOST_REGIONS = 1 << 24;
  private static final int FIRST_CAPACITY = 64;

  private volatile Region[] regions = new Region[FIRST_CAPACITY];
  private byte[] tags = new byte[FIRST_CAPACITY];
  /** Where the search for a free index starts; index 0 stays free, since 0 is what a forgotten key holds. */
  private int next = 1;
  private int count;

  /** @throws IllegalStateException when there are 2^24 - 1 regions already */
  public synchronized Region add(int domain, long address, long lengthBytes, int access) {
    int index = freeIndex();
    tags[index]++;
    Region region = new Region(domain, index << TAG_BITS | tags[index] & TAG_MASK, address, lengthBytes, access);
    publish(index, region);
    count++;
    return region;
  }

  public synchronized void remove(Region region) {
    publish(region.key() >>> TAG_BITS, null);
    count--;
  }

  /** The region with this key that holds the range, belongs to the domain and allows the access, or null. */
  Region find(int domain, int key, long address, long bytes, int access) {
    Region[] table = regions;
    int index = key >>> TAG_BITS;
    Region region = index < table.length ? table[index] : null;
    return region != null
            && region.key() == key
            && region.domain() == domain
            && region.covers(address, bytes)
            && region.allows(access)
        ? region
        : null;
  }

  private void publish(int index, Region region) {
    Region[] table = regions;
    table[index] = region;
    regions = table;
  }

  private int freeIndex() {
    if (count + 1 >= regions.length) {
      grow();
    }
    while (next == 0 || regions[next] != null) {
      next = next + 1 & regions.length - 1;
    }
    int index = next;
    next = next + 1 & regions.length - 1;
    return index;
  }

  private void grow() {
    if (regions.length == MOST_REGIONS) {
      throw new IllegalStateException("all " + (MOST_REGIONS - 1) + " memory keys are in use");
    }
    tags = Arrays.copyOf(tags, 2 * tags.length);
    regions = Arrays.copyOf(regions, 2 * regions.length);
  }
}
