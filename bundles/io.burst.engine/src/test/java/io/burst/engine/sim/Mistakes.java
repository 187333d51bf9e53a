package io.burst.engine.sim;

import io.burst.engine.sim.model.Binding;
import io.burst.engine.sim.model.Request;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.SendOpcode;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Draws requests that can't be done, each for one reason. Belongs to the thread of its run. */
final class Mistakes {
  private static final List<SendOpcode> READ_OR_WRITE =
      List.of(SendOpcode.READ, SendOpcode.WRITE, SendOpcode.WRITE_WITH_IMMEDIATE);
  private static final List<SendOpcode> BRINGING =
      List.of(SendOpcode.READ, SendOpcode.COMPARE_SWAP, SendOpcode.FETCH_ADD);
  private static final List<SendOpcode> ON_WORDS =
      List.of(SendOpcode.COMPARE_SWAP, SendOpcode.FETCH_ADD, SendOpcode.ATOMIC_WRITE);
  private static final List<SendOpcode> NAMING =
      List.of(
          SendOpcode.READ,
          SendOpcode.WRITE,
          SendOpcode.WRITE_WITH_IMMEDIATE,
          SendOpcode.COMPARE_SWAP,
          SendOpcode.FETCH_ADD,
          SendOpcode.ATOMIC_WRITE);

  private final SplittableRandom random;
  private final Work work;
  private final Doom doom;
  private final Target other;
  private final int bytes;

  Mistakes(SplittableRandom random, Work work, Doom doom) {
    this.random = random;
    this.work = work;
    this.doom = doom;
    other = work.other;
    bytes = 1 + work.messages.next();
  }

  Request draw() {
    int area = other.area;
    return switch (doom) {
      case BEYOND_REGION ->
          named(pick(READ_OR_WRITE), area + Target.AREA_BYTES - bytes + 1, other.areaKey());
      case WRAPPED_RANGE ->
          named(pick(READ_OR_WRITE), other.peer.offset(other.areaKey(), -1 - bytes / 2), other.areaKey());
      case UNKNOWN_KEY -> named(pick(NAMING), area, other.areaKey() ^ 1 << random.nextInt(Integer.SIZE));
      case STALE_KEY -> {
        int key = region(other.domain, Target.all());
        other.peer.deregister(key);
        yield named(pick(NAMING), area, key);
      }
      case REGION_FORBIDS -> {
        SendOpcode opcode = pick(NAMING);
        Set<AccessFlag> others = Target.all();
        others.remove(Work.access(opcode));
        yield named(opcode, area, region(other.domain, others));
      }
      case OTHER_DOMAIN -> named(pick(NAMING), area, region(Peer.otherDomain(other.domain), Target.all()));
      case QUEUE_PAIR_FORBIDS -> {
        List<SendOpcode> wrong = NAMING.stream().filter(one -> Work.access(one) == work.forbidden()).toList();
        yield named(pick(wrong), area, region(other.domain, Target.all()));
      }
      case MISALIGNED -> misaligned();
      case STALE_WINDOW -> named(pick(READ_OR_WRITE), area, freeWindowKey());
      case OTHER_WINDOW -> throughOtherWindow();
      case BEYOND_WINDOW -> beyondWindow();
      case NOT_A_WINDOW -> {
        Request request = work.sending(SendOpcode.SEND_WITH_INVALIDATE, work.messages.consuming(work.consuming()));
        request.invalidateKey = random.nextBoolean() ? other.areaKey() : otherWindowKey();
        yield request;
      }
      case WRONG_BINDING -> {
        Request request = work.local(SendOpcode.BIND_MEMORY_WINDOW);
        request.binding = wrongBinding();
        yield request;
      }
      case WRONG_INVALIDATION -> {
        Request request = work.local(SendOpcode.LOCAL_INVALIDATE);
        request.invalidateKey = random.nextBoolean() ? work.own.areaKey() : work.own.peer.addWindow(work.own.domain);
        yield request;
      }
      case TOO_LONG ->
          work.sending(
              SendOpcode.SEND,
              Math.max(work.messages.roomBytes(), work.messages.consuming(work.consuming())) + Work.MOST_SPARE_BYTES);
      case LOCAL_KEY -> {
        Request request = named(pick(NAMING), area, other.areaKey());
        request.inline = false;
        request.pieces = Work.withKey(request.pieces, localKey());
        yield request;
      }
      case LOCAL_READ_ONLY -> {
        Request request = named(pick(BRINGING), area, other.areaKey());
        request.pieces = work.own.peer.readable(work.own.domain).take(random, request.pieces.totalBytes());
        yield request;
      }
      default -> throw new IllegalStateException(doom + " isn't a wrong request");
    };
  }

  /** Misaligned in memory, or by the names that a zero-based region gives it, or both. */
  private Request misaligned() {
    if (random.nextBoolean()) {
      return named(pick(ON_WORDS), other.words + 1 + random.nextInt(Long.BYTES - 1), other.wordsKey());
    }
    Set<AccessFlag> access = Target.all();
    access.add(AccessFlag.ZERO_BASED);
    int shift = 1 + random.nextInt(Long.BYTES - 1);
    int key = other.peer.register(other.domain, other.words + shift, 2 * Long.BYTES, access);
    return named(pick(ON_WORDS), other.words + (random.nextBoolean() ? shift : Long.BYTES), key);
  }

  /** One byte more than the window, or what it doesn't allow; or, if it isn't bound, anything. */
  private Request beyondWindow() {
    Window window = other.window;
    if (!window.isBound()) {
      return named(pick(READ_OR_WRITE), other.area, freeWindowKey());
    }
    List<SendOpcode> forbidden = NAMING.stream().filter(one -> !window.allows(Work.access(one))).toList();
    if (!forbidden.isEmpty()) {
      return named(pick(forbidden), window.start(), window.key());
    }
    if (window.isOnWords()) {
      return named(pick(ON_WORDS), window.start() + window.lengthBytes(), window.key());
    }
    return named(pick(READ_OR_WRITE), window.start() + window.lengthBytes() - bytes + 1, window.key());
  }

  /** The window's key if it isn't bound, else one that was never. */
  private int freeWindowKey() {
    return other.window.isFree() ? other.window.key() : other.peer.addWindow(other.domain);
  }

  /** A window that is good on another queue pair of the same end, or on none. */
  private int otherWindowKey() {
    Window window = otherWindow();
    return window == null ? other.peer.addWindow(other.domain) : window.key();
  }

  private Window otherWindow() {
    for (Target target : other.peer.targets) {
      if (target != other && target.domain == other.domain && target.window.isBound()) {
        return target.window;
      }
    }
    return null;
  }

  /** What would be right on that queue pair. */
  private Request throughOtherWindow() {
    Window window = otherWindow();
    if (window == null) {
      return named(pick(READ_OR_WRITE), other.area, other.peer.addWindow(other.domain));
    }
    SendOpcode opcode = window.allows(AccessFlag.REMOTE_WRITE) ? SendOpcode.WRITE : SendOpcode.READ;
    int length = Math.min(bytes, window.lengthBytes());
    Request request =
        opcode == SendOpcode.READ ? work.bringing(opcode, length) : work.sending(opcode, length);
    return work.naming(request, window.start(), window.key());
  }

  private int localKey() {
    return switch (random.nextInt(3)) {
      case 0 -> Work.UNKNOWN_KEY;
      case 1 -> work.own.peer.writable(Peer.otherDomain(work.own.domain)).key();
      // Of the same domain, and other memory.
      default -> work.own.areaKey();
    };
  }

  private Binding wrongBinding() {
    Target own = work.own;
    int free = own.peer.addWindow(own.domain);
    int next = free & ~0xFF | free + 1 & 0xFF;
    Set<AccessFlag> rights = EnumSet.of(AccessFlag.REMOTE_WRITE);
    Set<AccessFlag> bindable = EnumSet.of(AccessFlag.MEMORY_WINDOW_BIND, AccessFlag.LOCAL_WRITE);
    return switch (random.nextInt(7)) {
      case 0 -> new Binding(free, free, own.areaKey(), own.area, 8, rights);
      case 1 -> new Binding(free, next ^ 0x100, own.areaKey(), own.area, 8, rights);
      case 2 -> new Binding(free, next, own.areaKey(), own.area + 1, Target.AREA_BYTES, rights);
      case 3 -> new Binding(free, next, own.areaKey(), own.area, 0, rights);
      case 4 -> {
        bindable.remove(random.nextBoolean() ? AccessFlag.MEMORY_WINDOW_BIND : AccessFlag.LOCAL_WRITE);
        yield new Binding(free, next, ownRegion(own.domain, bindable), own.area, 8, rights);
      }
      case 5 -> new Binding(free, next, ownRegion(Peer.otherDomain(own.domain), bindable), own.area, 8, rights);
      default -> new Binding(own.areaKey(), own.areaKey() ^ 1, own.areaKey(), own.area, 8, rights);
    };
  }

  private int ownRegion(int domain, Set<AccessFlag> access) {
    return work.own.peer.register(domain, work.own.area, Target.AREA_BYTES, access);
  }

  private int region(int domain, Set<AccessFlag> access) {
    return other.peer.register(domain, other.area, Target.AREA_BYTES, access);
  }

  private Request named(SendOpcode opcode, long target, int key) {
    int length = ON_WORDS.contains(opcode) ? Long.BYTES : bytes;
    Request request = BRINGING.contains(opcode) ? work.bringing(opcode, length) : work.sending(opcode, length);
    return work.naming(request, target, key);
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
