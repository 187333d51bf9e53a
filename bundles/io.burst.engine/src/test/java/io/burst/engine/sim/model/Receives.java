package io.burst.engine.sim.model;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Receives of one queue pair, or shared by several: messages take them in the order posted. Each completes once. Those
 * of one queue pair complete in that order too; of shared ones each queue pair may keep one back for a message that it
 * is in the middle of. Belongs to the thread of its run.
 */
public final class Receives {
  private static final int NOT_SHARED = -1;

  private final int sharedRoomBytes;
  private final List<Pieces> posted = new ArrayList<>();
  private final BitSet polled = new BitSet();
  private final BitSet completed = new BitSet();
  private int users;

  private Receives(int sharedRoomBytes) {
    this.sharedRoomBytes = sharedRoomBytes;
  }

  public static Receives own() {
    return new Receives(NOT_SHARED);
  }

  /** @param roomBytes that each has */
  public static Receives shared(int roomBytes) {
    return new Receives(roomBytes);
  }

  /** @return its place in the order, from 0 on */
  public int post(Pieces pieces) {
    posted.add(pieces);
    return posted.size() - 1;
  }

  public boolean isShared() {
    return sharedRoomBytes != NOT_SHARED;
  }

  public int posted() {
    return posted.size();
  }

  public int outstanding() {
    return posted.size() - completed.cardinality();
  }

  public Pieces get(int index) {
    return posted.get(index);
  }

  int sharedRoomBytes() {
    return sharedRoomBytes;
  }

  void addUser() {
    users++;
  }

  /** A completion of it was polled; these come in the order in which shared receives were done with. */
  public void polled(int index) {
    Mismatch.unless(index < posted.size() && !polled.get(index), "receive %d completed, and isn't there", index);
    int keptBack = index - polled.get(0, index).cardinality();
    Mismatch.unless(keptBack < users, "receive %d completed before %d others", index, keptBack);
    polled.set(index);
  }

  /** An end takes the completion for its own; of one queue pair's receives these are in order. */
  void complete(int index) {
    Mismatch.unless(polled.get(index) && !completed.get(index), "receive %d completed, and isn't there", index);
    Mismatch.unless(isShared() || index == completed.cardinality(), "receive %d completed, and isn't next", index);
    completed.set(index);
  }
}
