package io.burst.engine.fuzz;

import io.burst.engine.qp.MemoryTable;
import io.burst.engine.qp.Region;
import io.burst.linux.Memory;
import io.burst.verbs.AccessFlag;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * All memory that the endpoint under test may touch: regions of every kind with untouchable bytes between them, a copy
 * that says what should be in it, and the oracle's own idea of who may do what where.
 */
final class Arena {
  static final int WRITE = 1;
  static final int READ = 2;
  static final int ATOMIC = 4;
  static final int LOCAL_WRITE = 8;

  /** Where work requests have their buffers. */
  static final int LOCAL_OFFSET = 8192;
  static final int LOCAL_BYTES = 7168;

  private static final int BYTES = 16384;
  private static final int DOMAIN = 1;
  private static final int ANY_QUEUE_PAIR = -1;

  /** What a key opens. */
  static final class Grant {
    int key;
    long base;
    int lengthBytes;
    int offset;
    int domain;
    int rights;
    int queuePair = ANY_QUEUE_PAIR;
  }

  final List<Grant> grants = new ArrayList<>();
  final Grant local;
  /** The key that the one window has now, bound or not. */
  int windowKey;
  private final MemoryTable table;
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.nativeOrder());
  private final ByteBuffer shadow = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.nativeOrder());
  private final ByteBuffer fresh = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.nativeOrder());
  private final long address = Memory.addressOf(bytes);

  Arena(MemoryTable table) {
    this.table = table;
    for (int i = 0; i < BYTES; i++) {
      fresh.put(i, (byte) (i * 31 + (i >> 8)));
    }
    Set<AccessFlag> all = EnumSet.complementOf(EnumSet.of(AccessFlag.ZERO_BASED));
    add(table, 1024, 2048, DOMAIN, all);
    add(table, 3584, 512, DOMAIN, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ));
    add(table, 4608, 512, DOMAIN, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
    add(table, 5632, 512, DOMAIN + 1, all);
    add(table, 6660, 512, DOMAIN, EnumSet.allOf(AccessFlag.class));
    local = add(table, LOCAL_OFFSET, LOCAL_BYTES, DOMAIN, EnumSet.of(AccessFlag.LOCAL_WRITE));
  }

  static int domain() {
    return DOMAIN;
  }

  void reset() {
    if (windowKey != 0) {
      table.remove(windowKey);
      grants.removeIf(grant -> grant.queuePair != ANY_QUEUE_PAIR);
    }
    windowKey = table.addWindow(DOMAIN).key();
    bytes.put(0, fresh, 0, BYTES);
    shadow.put(0, fresh, 0, BYTES);
  }

  /** Where requests find a byte of the work requests' memory. */
  long localAddress(int offset) {
    return address + offset;
  }

  /** The place of what a peer names, or -1 when it may not have it. */
  int resolve(int queuePair, int key, long from, long lengthBytes, int right) {
    for (int i = 0; i < grants.size(); i++) {
      Grant grant = grants.get(i);
      if (grant.key == key) {
        long start = from - grant.base;
        boolean mine = grant.queuePair == ANY_QUEUE_PAIR || grant.queuePair == queuePair;
        boolean inside = start >= 0 && lengthBytes <= grant.lengthBytes && start <= grant.lengthBytes - lengthBytes;
        return grant.domain == DOMAIN && mine && inside && (grant.rights & right) == right
            ? grant.offset + (int) start
            : -1;
      }
    }
    return -1;
  }

  /** Makes of the one window what the request says; false if that can't be. */
  boolean bind(RequesterModel.Work work) {
    boolean bound = grants.stream().anyMatch(grant -> grant.queuePair != ANY_QUEUE_PAIR);
    boolean allowed = !bound && work.windowKey == windowKey && work.window != null && work.window.key != windowKey;
    if (allowed) {
      grants.add(work.window);
      windowKey = work.window.key;
    }
    return allowed;
  }

  /** Takes a window away that the queue pair bound; false if the key isn't of one. */
  boolean invalidate(int queuePair, int key) {
    return queuePair != ANY_QUEUE_PAIR && grants.removeIf(grant -> grant.key == key && grant.queuePair == queuePair);
  }

  /** The endpoint should have copied these bytes there. */
  void expect(int offset, ByteBuffer from, int index, int count) {
    shadow.put(offset, from, index, count);
  }

  void expectLong(int offset, long value) {
    shadow.putLong(offset, value);
  }

  long longAt(int offset) {
    return shadow.getLong(offset);
  }

  /** Whether what should be there is what a packet carries. */
  boolean holds(int offset, ByteBuffer packet, int index, int count) {
    for (int i = 0; i < count; i++) {
      if (packet.get(index + i) != shadow.get(offset + i)) {
        return false;
      }
    }
    return true;
  }

  void check() {
    int different = bytes.mismatch(shadow);
    if (different >= 0) {
      throw new AssertionError(
          "byte " + different + " of the memory is " + bytes.get(different) + ", not " + shadow.get(different));
    }
  }

  private Grant add(MemoryTable table, int offset, int lengthBytes, int domain, Set<AccessFlag> access) {
    Region region = table.add(domain, address + offset, lengthBytes, Region.mask(access));
    Grant grant = new Grant();
    grant.key = region.key();
    grant.base = access.contains(AccessFlag.ZERO_BASED) ? 0 : address + offset;
    grant.lengthBytes = lengthBytes;
    grant.offset = offset;
    grant.domain = domain;
    grant.rights =
        (access.contains(AccessFlag.REMOTE_WRITE) ? WRITE : 0)
            | (access.contains(AccessFlag.REMOTE_READ) ? READ : 0)
            | (access.contains(AccessFlag.REMOTE_ATOMIC) ? ATOMIC : 0)
            | (access.contains(AccessFlag.LOCAL_WRITE) ? LOCAL_WRITE : 0);
    grants.add(grant);
    return grant;
  }
}
