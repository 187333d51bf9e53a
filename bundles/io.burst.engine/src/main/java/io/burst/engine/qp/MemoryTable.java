package io.burst.engine.qp;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * All regions and windows of a device by key. Entries come and go under its lock, by control threads; workers read
 * without one, and replace the windows that their queue pairs bind. Whoever removes a region waits for the workers'
 * next round before the memory may go.
 *
 * <p>A key is an index (24 bits) and a part that changes each time the index is used anew (8 bits), so that an old key
 * doesn't reach a new region. The table grows by blocks, so an entry never moves.
 */
public final class MemoryTable {
  private static final int TAG_BITS = 8;
  private static final int TAG_MASK = (1 << TAG_BITS) - 1;
  private static final int BLOCK_BITS = 12;
  private static final int BLOCK_ENTRIES = 1 << BLOCK_BITS;
  private static final int MOST_BLOCKS = 1 << Integer.SIZE - TAG_BITS - BLOCK_BITS;

  private final AtomicReferenceArray<Block> blocks = new AtomicReferenceArray<>(MOST_BLOCKS);
  private int capacity;
  /** Where the search for a free index starts; index 0 stays free, since 0 is what a forgotten key holds. */
  private int next = 1;
  private int count;

  private static final class Block {
    final AtomicReferenceArray<Region> regions = new AtomicReferenceArray<>(BLOCK_ENTRIES);
    /** The changing part of the key that each entry had last. */
    final byte[] tags = new byte[BLOCK_ENTRIES];
  }

  /**
   * @param memory where it is; a zero-based region is named from 0 on all the same
   * @throws IllegalStateException when all 2^24 - 1 keys are in use
   */
  public synchronized Region add(int domain, long memory, long lengthBytes, int access) {
    int index = takeIndex();
    Region region = Region.registered(domain, nextKey(index), memory, lengthBytes, access);
    put(index, region);
    return region;
  }

  /**
   * Adds a window that is bound to nothing.
   *
   * @throws IllegalStateException when all 2^24 - 1 keys are in use
   */
  public synchronized Region addWindow(int domain) {
    int index = takeIndex();
    Region region = Region.unboundWindow(domain, nextKey(index));
    put(index, region);
    return region;
  }

  /** Puts other memory, under a new key, in the place of a region. */
  public synchronized Region change(Region region, int domain, long memory, long lengthBytes, int access) {
    int index = index(region.key());
    Region changed = Region.registered(domain, nextKey(index), memory, lengthBytes, access);
    put(index, changed);
    return changed;
  }

  /** Takes out what has this key's place now. */
  public synchronized void remove(int key) {
    int index = index(key);
    Region removed = at(index);
    block(index).tags[index & BLOCK_ENTRIES - 1] = (byte) removed.key();
    if (removed.isBoundWindow()) {
      removed.unbind();
    }
    put(index, null);
    count--;
  }

  /** The key of what has this key's place now, or this key if nothing has. */
  public int currentKey(int key) {
    Region region = at(index(key));
    return region == null ? key : region.key();
  }

  /**
   * The region or window with this key that holds the range, belongs to the domain, may be used on the queue pair and
   * allows the access, or null.
   */
  Region find(int domain, int queuePair, int key, long address, long bytes, int access) {
    Region region = get(key);
    return region != null
            && region.domain() == domain
            && region.isFor(queuePair)
            && region.covers(address, bytes)
            && region.allows(access)
        ? region
        : null;
  }

  /** Binds a window that is free to part of a region; false, and no change, when that isn't allowed. */
  boolean bind(WindowBinding binding, int domain, int queuePair) {
    Region window = get(binding.windowKey);
    Region region = get(binding.regionKey);
    boolean allowed =
        window != null
            && window.isUnboundWindow()
            && window.domain() == domain
            && index(binding.newKey) == index(window.key())
            && binding.newKey != window.key()
            && region != null
            && region.domain() == domain
            && region.takesWindow(binding);
    if (allowed) {
      put(index(window.key()), region.bind(binding, queuePair));
    }
    return allowed;
  }

  /** Whether the key is of a window that this queue pair bound, and nobody has taken away. */
  boolean isWindow(int key, int domain, int queuePair) {
    Region window = get(key);
    return window != null && window.isWindowOf(domain, queuePair);
  }

  /** Takes a window away; it must be one, see {@link #isWindow}. */
  void invalidate(int key) {
    put(index(key), get(key).unbind());
  }

  /** What has exactly this key, or null. */
  private Region get(int key) {
    Region region = at(index(key));
    return region != null && region.key() == key ? region : null;
  }

  private static int index(int key) {
    return key >>> TAG_BITS;
  }

  private Region at(int index) {
    Block block = block(index);
    return block == null ? null : block.regions.getAcquire(index & BLOCK_ENTRIES - 1);
  }

  private void put(int index, Region region) {
    block(index).regions.setRelease(index & BLOCK_ENTRIES - 1, region);
  }

  private Block block(int index) {
    return blocks.getAcquire(index >>> BLOCK_BITS);
  }

  private int nextKey(int index) {
    byte[] tags = block(index).tags;
    int tag = ++tags[index & BLOCK_ENTRIES - 1] & TAG_MASK;
    return index << TAG_BITS | tag;
  }

  private int takeIndex() {
    if (count + 1 >= capacity) {
      grow();
    }
    while (next == 0 || at(next) != null) {
      next = (next + 1) % capacity;
    }
    int index = next;
    next = (next + 1) % capacity;
    count++;
    return index;
  }

  private void grow() {
    int block = capacity >>> BLOCK_BITS;
    if (block == MOST_BLOCKS) {
      throw new IllegalStateException("all " + (MOST_BLOCKS * BLOCK_ENTRIES - 1) + " memory keys are in use");
    }
    blocks.setRelease(block, new Block());
    capacity += BLOCK_ENTRIES;
  }
}
