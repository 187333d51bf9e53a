package io.burst.engine.qp;

import io.burst.linux.Memory;
import io.burst.spi.CopyEngine;
import io.burst.spi.CopyResult;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** A copy engine whose copies end when the test says so, in the order that it says. */
final class HeldCopies implements CopyEngine {
  static final int CAPACITY = 128;

  record Copy(long from, long to, int bytes, boolean fenced, long ticket) {}

  private record Ended(long ticket, boolean failed) {}

  final List<Copy> underWay = new ArrayList<>();
  private final Queue<Ended> ended = new ArrayDeque<>();

  @Override
  public int smallestBytes() {
    return 2;
  }

  @Override
  public int capacity() {
    return CAPACITY;
  }

  @Override
  public void enqueue(long from, long to, int bytes, boolean fenced, long ticket) {
    underWay.add(new Copy(from, to, bytes, fenced, ticket));
  }

  @Override
  public void submit() {
    // Nothing starts by itself.
  }

  @Override
  public boolean poll(CopyResult into) {
    Ended next = ended.poll();
    if (next == null) {
      return false;
    }
    into.ticket = next.ticket();
    into.failed = next.failed();
    return true;
  }

  /** Does the copy at this place of those under way. */
  void end(int index) {
    Copy copy = underWay.remove(index);
    Memory.copy(copy.from(), copy.to(), copy.bytes());
    ended.add(new Ended(copy.ticket(), false));
  }

  void endAll() {
    while (!underWay.isEmpty()) {
      end(0);
    }
  }

  void fail(int index) {
    ended.add(new Ended(underWay.remove(index).ticket(), true));
  }

  @Override
  public void close() {
    underWay.clear();
  }
}
