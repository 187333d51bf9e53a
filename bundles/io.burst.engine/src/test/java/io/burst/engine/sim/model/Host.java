package io.burst.engine.sim.model;

import io.burst.verbs.AccessFlag;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One end's memory: as it is, as it must be, and what its keys allow. Offsets count from its start. Belongs to the
 * thread of its run.
 */
public final class Host {
  private final ByteBuffer actual;
  private final byte[] expected;
  private final Map<Integer, Grant> grants = new HashMap<>();
  /** What requests of unknown end may have left behind. */
  private final List<Possible> possible = new ArrayList<>();

  private record Possible(int offset, byte[] bytes) {}

  /** @param expected the same bytes as in {@code actual}; owned by the model from here on */
  public Host(ByteBuffer actual, byte[] expected) {
    this.actual = actual;
    this.expected = expected;
  }

  public void grant(int key, Grant grant) {
    grants.put(key, grant);
  }

  public void revoke(int key) {
    grants.remove(key);
  }

  /** The application itself writes. */
  public void store(int offset, byte[] bytes) {
    actual.put(offset, bytes);
    expect(offset, bytes);
  }

  /** The application writes a message into its pieces. */
  public void store(Pieces pieces, byte[] message) {
    walk(pieces, message.length, (offset, at, length) -> actual.put(offset, message, at, length));
    expect(pieces, message);
  }

  /** All of it is as it must be, save what requests of unknown end may have done. */
  public void checkAll() {
    int from = 0;
    for (int at = difference(0, expected.length); at >= 0; at = difference(from, expected.length - from)) {
      Mismatch.unless(isPossible(at), "byte %d of memory has changed", at);
      from = at + 1;
    }
  }

  /** Whether what an end's peer names by a key is allowed; a window is good on one queue pair. */
  boolean permits(Side end, int key, long offset, long bytes, AccessFlag access) {
    Grant grant = grants.get(key);
    return grant != null
        && grant.domain() == end.domain
        && (grant.window() == null || grant.window() == end)
        && grant.covers(offset, bytes)
        && grant.access().contains(access);
  }

  /**
   * Whether an end may use its own memory so; a window isn't for that.
   *
   * @param access null when only reading
   */
  boolean permitsLocal(Side end, Pieces pieces, AccessFlag access) {
    for (int i = 0; i < pieces.count(); i++) {
      int bytes = pieces.lengthBytes()[i];
      Grant grant = grants.get(pieces.key()[i]);
      boolean permitted =
          grant != null
              && grant.domain() == end.domain
              && grant.window() == null
              && grant.covers(pieces.offset()[i], bytes)
              && (access == null || grant.access().contains(access));
      if (bytes > 0 && !permitted) {
        return false;
      }
    }
    return true;
  }

  boolean permitsBinding(Binding binding, Side end) {
    Grant region = grants.get(binding.regionKey());
    boolean changes =
        binding.access().contains(AccessFlag.REMOTE_WRITE) || binding.access().contains(AccessFlag.REMOTE_ATOMIC);
    return !grants.containsKey(binding.windowKey())
        && binding.newKey() != binding.windowKey()
        && binding.newKey() >>> Byte.SIZE == binding.windowKey() >>> Byte.SIZE
        && region != null
        && region.window() == null
        && region.domain() == end.domain
        && region.access().contains(AccessFlag.MEMORY_WINDOW_BIND)
        && (!changes || region.access().contains(AccessFlag.LOCAL_WRITE))
        && binding.lengthBytes() > 0
        && region.covers(binding.start(), binding.lengthBytes());
  }

  void bind(Binding binding, Side end) {
    grants.put(
        binding.newKey(), new Grant(end.domain, binding.start(), binding.lengthBytes(), binding.access(), end));
  }

  boolean isWindowOf(Side end, int key) {
    Grant grant = grants.get(key);
    return grant != null && grant.window() == end;
  }

  /** What requests name a byte by, as far as alignment goes. */
  long name(int key, long offset) {
    Grant grant = grants.get(key);
    return grant == null ? offset : grant.name(offset);
  }

  void expect(int offset, byte[] bytes) {
    System.arraycopy(bytes, 0, expected, offset, bytes.length);
  }

  void expect(Pieces pieces, byte[] message) {
    walk(pieces, message.length, (offset, at, length) -> System.arraycopy(message, at, expected, offset, length));
  }

  byte[] expected(int offset, int bytes) {
    byte[] copy = new byte[bytes];
    System.arraycopy(expected, offset, copy, 0, bytes);
    return copy;
  }

  /** A word as it must be, as far as is known. */
  public long word(int offset) {
    return ByteBuffer.wrap(expected).order(ByteOrder.nativeOrder()).getLong(offset);
  }

  long actualLong(int offset) {
    return actual.slice().order(ByteOrder.nativeOrder()).getLong(offset);
  }

  byte actual(int offset) {
    return actual.get(offset);
  }

  byte[] actual(Pieces pieces) {
    byte[] message = new byte[pieces.totalBytes()];
    walk(pieces, message.length, (offset, at, length) -> actual.get(offset, message, at, length));
    return message;
  }

  byte[] actual(int offset, int bytes) {
    byte[] copy = new byte[bytes];
    actual.get(offset, copy);
    return copy;
  }

  /** The first offset in the range whose byte isn't as it must be, or -1. */
  int difference(int from, int bytes) {
    int at = actual.slice(from, bytes).mismatch(ByteBuffer.wrap(expected, from, bytes));
    return at < 0 ? -1 : from + at;
  }

  /** Every byte of the pieces is as it must be. */
  void check(Pieces pieces, String what, Object... arguments) {
    for (int i = 0; i < pieces.count(); i++) {
      int at = difference(pieces.offset()[i], pieces.lengthBytes()[i]);
      Mismatch.unless(at < 0, "byte %d of memory is wrong: %s", at, at < 0 ? "" : String.format(what, arguments));
    }
  }

  /** The bytes may be there in the end, all or some of them. */
  void mayHold(int offset, byte[] bytes) {
    possible.add(new Possible(offset, bytes));
  }

  void mayHold(Pieces pieces, byte[] message) {
    walk(
        pieces,
        message.length,
        (offset, at, length) -> mayHold(offset, Arrays.copyOfRange(message, at, at + length)));
  }

  /** Nobody can say what is there. */
  void forget(int offset, int bytes) {
    expect(offset, actual(offset, bytes));
  }

  void forget(Pieces pieces) {
    expect(pieces, actual(pieces));
  }

  private boolean isPossible(int at) {
    for (Possible one : possible) {
      int index = at - one.offset;
      if (index >= 0 && index < one.bytes.length && one.bytes[index] == actual.get(at)) {
        return true;
      }
    }
    return false;
  }

  /** A run of a message that lies in one piece. */
  private interface Run {
    void accept(int offset, int at, int length);
  }

  private static void walk(Pieces pieces, int messageBytes, Run run) {
    int done = 0;
    for (int i = 0; i < pieces.count() && done < messageBytes; i++) {
      int length = Math.min(pieces.lengthBytes()[i], messageBytes - done);
      run.accept(pieces.offset()[i], done, length);
      done += length;
    }
  }
}
