package io.burst.engine.sim;

import io.burst.verbs.AccessFlag;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * One end's memory that the other end of a connection reads and writes: an area, words for atomics, and a window to
 * either. Belongs to the thread of its run.
 */
final class Target {
  static final int AREA_BYTES = 32 * 1024;
  static final List<AccessFlag> REMOTE =
      List.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);

  private static final int WORDS = 4;

  final Peer peer;
  final int domain;
  final int area;
  final int words;
  final Window window;

  private final SplittableRandom random;
  private int areaKey;
  private int wordsKey;

  Target(SplittableRandom random, Peer peer, int domain) {
    this.random = random;
    this.peer = peer;
    this.domain = domain;
    area = peer.takeMemory(AREA_BYTES);
    areaKey = peer.register(domain, area, AREA_BYTES, with(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
    words = peer.takeMemory(WORDS * Long.BYTES);
    wordsKey = peer.register(domain, words, wordsBytes(), with(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC));
    window = new Window(random.split(), this, peer.addWindow(domain));
  }

  int areaKey() {
    return areaKey;
  }

  int wordsKey() {
    return wordsKey;
  }

  int wordsBytes() {
    return WORDS * Long.BYTES;
  }

  int word() {
    return words + random.nextInt(WORDS) * Long.BYTES;
  }

  /** The same memory under other keys; nobody may be using it. */
  void reregister() {
    areaKey =
        peer.reregister(
            areaKey, domain, area, AREA_BYTES, with(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
    wordsKey =
        peer.reregister(
            wordsKey, domain, words, wordsBytes(), with(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC));
  }

  /** All that a request can need, and no more. */
  static Set<AccessFlag> all() {
    return EnumSet.of(
        AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);
  }

  /** These flags, what windows need, and others at random. */
  private Set<AccessFlag> with(AccessFlag first, AccessFlag second) {
    Set<AccessFlag> flags =
        EnumSet.of(first, second, AccessFlag.LOCAL_WRITE, AccessFlag.MEMORY_WINDOW_BIND);
    flags.addAll(random.nextBoolean() ? REMOTE : List.of());
    flags.addAll(random.nextInt(3) == 0 ? List.of(AccessFlag.ZERO_BASED) : List.of());
    return flags;
  }
}
