package io.burst.engine.sim;

import io.burst.engine.sim.model.Pieces;
import io.burst.engine.sim.model.Request;
import io.burst.engine.sim.model.SharedWord;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.SendOpcode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Draws what one end of a connection asks of the other, and the receives that the other has for it; one request may be
 * a mistake. Belongs to the thread of its run.
 */
final class Work {
  private static final int AREA_BYTES = 32 * 1024;
  private static final int WORDS = 4;
  /** Receives are up to so many bytes longer than their messages. */
  private static final int MOST_SPARE_BYTES = 32;
  private static final int LATEST_BAD_RECEIVE = 8;
  private static final int UNKNOWN_KEY = 0xBAD;

  private static final List<SendOpcode> OPCODES =
      List.of(
          SendOpcode.SEND,
          SendOpcode.SEND_WITH_IMMEDIATE,
          SendOpcode.WRITE,
          SendOpcode.WRITE_WITH_IMMEDIATE,
          SendOpcode.READ,
          SendOpcode.COMPARE_SWAP,
          SendOpcode.FETCH_ADD,
          SendOpcode.ATOMIC_WRITE);

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

  private static final List<AccessFlag> REMOTE =
      List.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);

  private final SplittableRandom random;
  private final Peer asker;
  private final int askerDomain;
  private final Peer answerer;
  private final int answererDomain;
  private final Messages messages;
  private final Doom doom;
  private final int doomAt;
  /** From this receive on, they are bad, or none. */
  private final int badReceive;
  private final AccessFlag forbidden;
  private final List<SendOpcode> opcodes = new ArrayList<>(OPCODES);

  private final int area;
  private final int areaKey;
  private final int words;
  private final int wordsKey;
  private int drawn;
  private int consuming;

  Work(
      SplittableRandom random, Peer asker, int askerDomain, Peer answerer, int answererDomain, int mtuBytes, Doom doom,
      int doomAt) {
    this.random = random;
    this.asker = asker;
    this.askerDomain = askerDomain;
    this.answerer = answerer;
    this.answererDomain = answererDomain;
    this.doom = doom;
    this.doomAt = doomAt;
    messages = new Messages(random.split(), mtuBytes);
    badReceive =
        doom == Doom.RECEIVE_KEY || doom == Doom.NO_RECEIVES ? random.nextInt(LATEST_BAD_RECEIVE) : Integer.MAX_VALUE;
    forbidden = doom == Doom.QUEUE_PAIR_FORBIDS ? pick(REMOTE) : null;
    opcodes.removeIf(opcode -> forbidden != null && forbidden == access(opcode));
    area = answerer.takeMemory(AREA_BYTES);
    areaKey = answerer.register(answererDomain, area, AREA_BYTES, with(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
    words = answerer.takeMemory(WORDS * Long.BYTES);
    wordsKey =
        answerer.register(
            answererDomain, words, WORDS * Long.BYTES, with(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC));
  }

  /** What the answering queue pair allows. */
  Set<AccessFlag> allowed() {
    Set<AccessFlag> allowed = EnumSet.copyOf(REMOTE);
    allowed.remove(forbidden);
    return allowed;
  }

  /** Requests drawn that take receives. */
  int consuming() {
    return consuming;
  }

  /** Whether the answering end may post this receive. */
  boolean hasReceive(int index) {
    return doom != Doom.NO_RECEIVES || index < badReceive;
  }

  /** The answering end's memory for a message. */
  Pieces receive(int index) {
    int bytes = messages.consuming(index) + random.nextInt(MOST_SPARE_BYTES);
    Pieces pieces = answerer.writable(answererDomain).take(random, bytes);
    return doom == Doom.RECEIVE_KEY && index >= badReceive ? withKey(pieces, UNKNOWN_KEY) : pieces;
  }

  /** The next request, its payload in place. */
  Request next() {
    Request request = drawn++ == doomAt ? mistake() : good(pick(opcodes));
    if (request.consumesReceive()) {
      consuming++;
    }
    return request;
  }

  private Request good(SendOpcode opcode) {
    return switch (opcode) {
      case SEND, SEND_WITH_IMMEDIATE -> sending(opcode, messages.consuming(consuming), 0, 0);
      case WRITE_WITH_IMMEDIATE -> writing(opcode, messages.consuming(consuming));
      case WRITE -> writing(opcode, messages.next());
      case READ -> reading(messages.next());
      case ATOMIC_WRITE -> sending(opcode, Long.BYTES, word(), wordsKey);
      default -> random.nextInt(3) == 0 ? sharedAtomic(opcode) : atomic(opcode, word(), wordsKey);
    };
  }

  private Request writing(SendOpcode opcode, int bytes) {
    return sending(opcode, bytes, area + random.nextInt(AREA_BYTES - bytes + 1), areaKey);
  }

  private Request reading(int bytes) {
    return bringing(SendOpcode.READ, bytes, area + random.nextInt(AREA_BYTES - bytes + 1), areaKey, 0, 0, null);
  }

  /** Half of the compares hit, of one word at least. */
  private Request atomic(SendOpcode opcode, long target, int key) {
    long compare = random.nextBoolean() ? answerer.host.word((int) target) : random.nextLong();
    return bringing(opcode, Long.BYTES, target, key, random.nextLong(), compare, null);
  }

  private Request sharedAtomic(SendOpcode opcode) {
    SharedWord word = answerer.sharedWords.get(random.nextInt(answerer.sharedWords.size()));
    long compare = random.nextInt(4) > 0 ? word.guess() : random.nextLong();
    int key = answerer.sharedKey(answererDomain);
    return bringing(opcode, Long.BYTES, word.offset(), key, random.nextLong(), compare, word);
  }

  private Request sending(SendOpcode opcode, int bytes, long target, int key) {
    Pieces pieces =
        (random.nextBoolean() ? asker.readable(askerDomain) : asker.writable(askerDomain)).take(random, bytes);
    byte[] payload = Arena.someBytes(random, bytes);
    asker.host.store(pieces, payload);
    return new Request(opcode, payload, pieces, target, key, signaled(), fenced(), random.nextInt(), 0, 0, null);
  }

  private Request bringing(
      SendOpcode opcode, int bytes, long target, int key, long swapOrAdd, long compare, SharedWord word) {
    Pieces pieces = asker.writable(askerDomain).take(random, bytes);
    return new Request(opcode, null, pieces, target, key, signaled(), fenced(), 0, swapOrAdd, compare, word);
  }

  private Request mistake() {
    int bytes = 1 + messages.next();
    return switch (doom) {
      case BEYOND_REGION -> named(pick(READ_OR_WRITE), bytes, area + AREA_BYTES - bytes + 1, areaKey);
      case WRAPPED_RANGE -> named(pick(READ_OR_WRITE), bytes + 1, -1 - bytes / 2 - answerer.address(0), areaKey);
      case UNKNOWN_KEY -> named(pick(NAMING), bytes, area, areaKey ^ 1 << random.nextInt(Integer.SIZE));
      case STALE_KEY -> {
        int key = answerer.register(answererDomain, area, AREA_BYTES, all());
        answerer.deregister(key);
        yield named(pick(NAMING), bytes, area, key);
      }
      case REGION_FORBIDS -> {
        SendOpcode opcode = pick(NAMING);
        Set<AccessFlag> others = all();
        others.remove(access(opcode));
        yield named(opcode, bytes, area, answerer.register(answererDomain, area, AREA_BYTES, others));
      }
      case OTHER_DOMAIN -> {
        int key = answerer.register(Peer.otherDomain(answererDomain), area, AREA_BYTES, all());
        yield named(pick(NAMING), bytes, area, key);
      }
      case QUEUE_PAIR_FORBIDS -> {
        int key = answerer.register(answererDomain, area, AREA_BYTES, all());
        List<SendOpcode> wrong = NAMING.stream().filter(opcode -> access(opcode) == forbidden).toList();
        yield named(pick(wrong), bytes, area, key);
      }
      case MISALIGNED -> named(pick(ON_WORDS), Long.BYTES, words + 1 + random.nextInt(7), wordsKey);
      case TOO_LONG -> sending(SendOpcode.SEND, messages.consuming(consuming) + MOST_SPARE_BYTES, 0, 0);
      case LOCAL_KEY -> {
        Request request = named(pick(NAMING), bytes, area, areaKey);
        yield withPieces(request, withKey(request.pieces(), UNKNOWN_KEY));
      }
      case LOCAL_READ_ONLY -> {
        Request request = named(pick(BRINGING), bytes, area, areaKey);
        yield withPieces(request, asker.readable(askerDomain).take(random, request.pieces().totalBytes()));
      }
      default -> throw new IllegalStateException(doom + " isn't a wrong request");
    };
  }

  /** A request that names memory of the other end. */
  private Request named(SendOpcode opcode, int bytes, long target, int key) {
    return switch (opcode) {
      case READ -> bringing(opcode, bytes, target, key, 0, 0, null);
      case WRITE, WRITE_WITH_IMMEDIATE -> sending(opcode, bytes, target, key);
      case ATOMIC_WRITE -> sending(opcode, Long.BYTES, target, key);
      default -> atomicNamed(opcode, target, key);
    };
  }

  private Request atomicNamed(SendOpcode opcode, long target, int key) {
    return bringing(opcode, Long.BYTES, target, key, random.nextLong(), random.nextLong(), null);
  }

  private static AccessFlag access(SendOpcode opcode) {
    return switch (opcode) {
      case READ -> AccessFlag.REMOTE_READ;
      case WRITE, WRITE_WITH_IMMEDIATE, ATOMIC_WRITE -> AccessFlag.REMOTE_WRITE;
      case COMPARE_SWAP, FETCH_ADD -> AccessFlag.REMOTE_ATOMIC;
      default -> null;
    };
  }

  private static Request withPieces(Request request, Pieces pieces) {
    return new Request(
        request.opcode(), request.payload(), pieces, request.target(), request.remoteKey(), request.signaled(),
        request.fenced(), request.immediate(), request.swapOrAdd(), request.compare(), request.sharedWord());
  }

  private static Pieces withKey(Pieces pieces, int key) {
    int[] keys = new int[pieces.count()];
    Arrays.fill(keys, key);
    return new Pieces(pieces.offset(), pieces.lengthBytes(), keys);
  }

  private static Set<AccessFlag> all() {
    return EnumSet.of(
        AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);
  }

  /** These flags, and others at random. */
  private Set<AccessFlag> with(AccessFlag first, AccessFlag second) {
    Set<AccessFlag> flags = EnumSet.of(first, second, AccessFlag.LOCAL_WRITE);
    flags.addAll(random.nextBoolean() ? REMOTE : List.of());
    return flags;
  }

  private int word() {
    return words + random.nextInt(WORDS) * Long.BYTES;
  }

  private boolean signaled() {
    return random.nextInt(3) > 0;
  }

  private boolean fenced() {
    return random.nextInt(5) == 0;
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
