package io.burst.engine.sim.model;

import io.burst.verbs.SendOpcode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A word that atomics of several queue pairs change: what they found must be explained by some order of them all, which
 * is the order of each queue pair too. Operands are drawn so that no value comes twice. Belongs to the thread of its
 * run.
 */
public final class SharedWord {
  private final Host host;
  private final int offset;
  private final List<Atomic> atomics = new ArrayList<>();
  private boolean forgotten;

  private record Atomic(Channel channel, int index, SendOpcode opcode, long found, long swapOrAdd, long compare) {

    boolean changes() {
      return opcode == SendOpcode.FETCH_ADD || found == compare;
    }

    long leaves() {
      return opcode == SendOpcode.FETCH_ADD ? found + swapOrAdd : swapOrAdd;
    }
  }

  public SharedWord(Host host, int offset) {
    this.host = host;
    this.offset = offset;
  }

  /** What the last atomic that completed has left, as a guess of what is there. */
  public long guess() {
    return atomics.isEmpty() ? host.word(offset) : atomics.get(atomics.size() - 1).leaves();
  }

  public int offset() {
    return offset;
  }

  void completed(Channel channel, int index, Request request, long found) {
    atomics.add(new Atomic(channel, index, request.opcode, found, request.swapOrAdd, request.compare));
  }

  /** An atomic on it may have been executed or not, and nobody knows what it found. */
  void forget() {
    forgotten = true;
  }

  public void checkEnd() {
    long left = host.actualLong(offset);
    if (!forgotten) {
      follow(left);
    }
    host.forget(offset, Long.BYTES);
  }

  private void follow(long left) {
    Map<Long, Atomic> changes = new HashMap<>();
    for (Atomic atomic : atomics) {
      if (atomic.changes()) {
        Mismatch.unless(changes.put(atomic.found(), atomic) == null, "two atomics found %x", atomic.found());
      }
    }
    Set<Long> held = new HashSet<>();
    Map<Channel, Integer> last = new HashMap<>();
    long value = host.word(offset);
    held.add(value);
    for (Atomic next = changes.remove(value); next != null; next = changes.remove(value)) {
      Integer before = last.put(next.channel(), next.index());
      Mismatch.unless(before == null || before < next.index(), "atomics of one queue pair changed places");
      value = next.leaves();
      held.add(value);
    }
    Mismatch.unless(changes.isEmpty(), "%d atomics found what was never there", changes.size());
    Mismatch.unless(value == left, "a word holds %x, its atomics have left %x", left, value);
    for (Atomic atomic : atomics) {
      Mismatch.unless(held.contains(atomic.found()), "an atomic found %x, which was never there", atomic.found());
    }
  }
}
