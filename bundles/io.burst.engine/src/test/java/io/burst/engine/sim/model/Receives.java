package io.burst.engine.sim.model;

import java.util.ArrayList;
import java.util.List;

/** The receives that one queue pair's messages take, in the order posted. Belongs to the thread of its run. */
public final class Receives {
  private final List<Pieces> posted = new ArrayList<>();
  private int completed;

  /** @return its place in the order, from 0 on */
  public int post(Pieces pieces) {
    posted.add(pieces);
    return posted.size() - 1;
  }

  public int posted() {
    return posted.size();
  }

  public int completed() {
    return completed;
  }

  public int outstanding() {
    return posted.size() - completed;
  }

  public Pieces get(int index) {
    return posted.get(index);
  }

  /** Each completes once, and in order. */
  void complete(int index) {
    Mismatch.unless(index == completed && index < posted.size(),
        "receive %d completed, %d is next of %d", index, completed, posted.size());
    completed++;
  }
}
