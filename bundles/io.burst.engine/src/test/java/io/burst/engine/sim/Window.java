package io.burst.engine.sim;

import io.burst.engine.sim.model.Binding;
import io.burst.verbs.AccessFlag;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A memory window to part of a target: its owner binds it, the peer may use it as long as both agree that it is bound,
 * and either takes it away. Belongs to the thread of its run.
 */
final class Window {
  private enum State {
    FREE,
    BINDING,
    BOUND,
    /** The peer uses it no more, and takes it away or lets its owner do so. */
    CLOSING,
    INVALIDATING
  }

  private static final int FEWEST_BYTES = 4096;

  private final SplittableRandom random;
  private final Target target;
  private State state = State.FREE;
  private int key;
  private int start;
  private int lengthBytes;
  private Set<AccessFlag> access = Set.of();
  private boolean onWords;
  /** The peer's last request that used it. */
  private int lastUse = -1;

  Window(SplittableRandom random, Target target, int key) {
    this.random = random;
    this.target = target;
    this.key = key;
  }

  int key() {
    return key;
  }

  int start() {
    return start;
  }

  int lengthBytes() {
    return lengthBytes;
  }

  boolean isOnWords() {
    return onWords;
  }

  boolean isFree() {
    return state == State.FREE;
  }

  boolean isBound() {
    return state == State.BOUND;
  }

  boolean allows(AccessFlag flag) {
    return isBound() && access.contains(flag);
  }

  /** @param request the peer's, by its place in the order */
  void use(int request) {
    lastUse = request;
  }

  /** The owner is to bind it. */
  Binding bind() {
    onWords = random.nextBoolean();
    if (onWords) {
      lengthBytes = Long.BYTES * (1 + random.nextInt(target.wordsBytes() / Long.BYTES));
      start = target.words + Long.BYTES * random.nextInt((target.wordsBytes() - lengthBytes) / Long.BYTES + 1);
    } else {
      lengthBytes = FEWEST_BYTES + random.nextInt(Target.AREA_BYTES - FEWEST_BYTES + 1);
      start = target.area + random.nextInt(Target.AREA_BYTES - lengthBytes + 1);
    }
    access = EnumSet.noneOf(AccessFlag.class);
    for (AccessFlag flag : List.of(
        AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC, AccessFlag.ZERO_BASED)) {
      if (random.nextInt(4) > 0) {
        access.add(flag);
      }
    }
    int newKey = key & ~0xFF | (key + 1 + random.nextInt(255)) & 0xFF;
    Binding binding =
        new Binding(key, newKey, onWords ? target.wordsKey() : target.areaKey(), start, lengthBytes, access);
    state = State.BINDING;
    key = newKey;
    return binding;
  }

  void bound() {
    state = State.BOUND;
  }

  /** The peer shall use it no more. */
  void close() {
    state = State.CLOSING;
  }

  /** Whether the owner may take it away, all of the peer's requests before the given one being done. */
  boolean isUnused(int done) {
    return state == State.CLOSING && lastUse < done;
  }

  void invalidating() {
    state = State.INVALIDATING;
  }

  void invalidated() {
    state = State.FREE;
  }
}
