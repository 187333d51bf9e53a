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
  /** Receives are up to so many bytes longer than their messages. */
  static final int MOST_SPARE_BYTES = 32;
  static final int UNKNOWN_KEY = 0xBAD;

  private static final int LATEST_BAD_RECEIVE = 8;
  private static final int MOST_TO_BIND = 6;
  private static final int MOST_TO_CLOSE = 12;

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

  final Target own;
  final Target other;
  final Messages messages;

  private final SplittableRandom random;
  private final Doom doom;
  private final int doomAt;
  private final int maxInlineBytes;
  /** From this receive on, they are bad, or none. */
  private final int badReceive;
  private final AccessFlag forbidden;
  private final List<SendOpcode> opcodes = new ArrayList<>(OPCODES);
  private int drawn;
  private int consuming;

  /**
   * @param own the asking end's memory, which has the window that it gives the other end
   * @param other what it asks for
   */
  Work(
      SplittableRandom random, Target own, Target other, Messages messages, int maxInlineBytes, Doom doom,
      int doomAt) {
    this.random = random;
    this.own = own;
    this.other = other;
    this.messages = messages;
    this.maxInlineBytes = maxInlineBytes;
    this.doom = doom;
    this.doomAt = doomAt;
    badReceive = doom.isBadReceive() ? random.nextInt(LATEST_BAD_RECEIVE) : Integer.MAX_VALUE;
    forbidden = doom == Doom.QUEUE_PAIR_FORBIDS ? pick(Target.REMOTE) : null;
    opcodes.removeIf(opcode -> forbidden != null && forbidden == access(opcode));
  }

  /** What the answering queue pair allows. */
  Set<AccessFlag> allowed() {
    Set<AccessFlag> allowed = EnumSet.copyOf(Target.REMOTE);
    allowed.remove(forbidden);
    return allowed;
  }

  AccessFlag forbidden() {
    return forbidden;
  }

  int maxInlineBytes() {
    return maxInlineBytes;
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
    if (doom == Doom.RECEIVE_READ_ONLY && index >= badReceive) {
      return other.peer.readable(other.domain).take(random, bytes);
    }
    Pieces pieces = other.peer.writable(other.domain).take(random, bytes);
    return doom == Doom.RECEIVE_KEY && index >= badReceive ? withKey(pieces, UNKNOWN_KEY) : pieces;
  }

  /**
   * The next request, its payload in place.
   *
   * @param done how many of the other end's requests are done
   */
  Request next(int done) {
    Request request = drawn == doomAt ? new Mistakes(random, this, doom).draw() : draw(done);
    drawn++;
    if (request.consumesReceive()) {
      consuming++;
    }
    return request;
  }

  /** One of its requests has completed well. */
  void completed(Request request) {
    if (request.opcode == SendOpcode.BIND_MEMORY_WINDOW) {
      own.window.bound();
    } else if (request.opcode == SendOpcode.LOCAL_INVALIDATE) {
      own.window.invalidated();
    }
  }

  private Request draw(int othersDone) {
    if (own.window.isFree() && random.nextInt(MOST_TO_BIND) == 0) {
      return bind();
    }
    if (own.window.isUnused(othersDone)) {
      own.window.invalidating();
      Request request = local(SendOpcode.LOCAL_INVALIDATE);
      request.invalidateKey = own.window.key();
      return request;
    }
    if (own.window.isBound() && random.nextInt(2 * MOST_TO_CLOSE) == 0) {
      own.window.close();
    }
    if (other.window.isBound() && random.nextInt(MOST_TO_CLOSE) == 0) {
      return takeAway();
    }
    return good(pick(opcodes));
  }

  private Request bind() {
    Request request = local(SendOpcode.BIND_MEMORY_WINDOW);
    request.binding = own.window.bind();
    return request;
  }

  /** Waits for the READs before it, as an application must: their answers may have to be given again. */
  private Request takeAway() {
    Request request = sending(SendOpcode.SEND_WITH_INVALIDATE, messages.consuming(consuming));
    request.invalidateKey = other.window.key();
    request.fenced = true;
    other.window.invalidating();
    return request;
  }

  private Request good(SendOpcode opcode) {
    return switch (opcode) {
      case WRITE_WITH_IMMEDIATE -> inArea(sending(opcode, messages.consuming(consuming)));
      case WRITE -> inArea(sending(opcode, messages.next()));
      case READ -> inArea(bringing(opcode, messages.next()));
      case ATOMIC_WRITE -> onWord(sending(opcode, Long.BYTES));
      case COMPARE_SWAP, FETCH_ADD -> random.nextInt(3) == 0 ? shared(opcode) : onWord(bringing(opcode, Long.BYTES));
      default -> sending(opcode, messages.consuming(consuming));
    };
  }

  private Request inArea(Request request) {
    int bytes = request.pieces.totalBytes();
    Window window = other.window;
    boolean through = !window.isOnWords() && isThroughWindow(request.opcode) && bytes <= window.lengthBytes();
    int start = through ? window.start() : other.area;
    int room = through ? window.lengthBytes() : Target.AREA_BYTES;
    return naming(request, start + random.nextInt(room - bytes + 1), through ? window.key() : other.areaKey());
  }

  /** Half of the compares hit, of one word at least. */
  private Request onWord(Request request) {
    Window window = other.window;
    boolean through = window.isOnWords() && isThroughWindow(request.opcode);
    int target =
        through ? window.start() + Long.BYTES * random.nextInt(window.lengthBytes() / Long.BYTES) : other.word();
    naming(request, target, through ? window.key() : other.wordsKey());
    if (request.opcode.isAtomic() && random.nextBoolean()) {
      request.compare = other.peer.host.word(target);
    }
    return request;
  }

  private boolean isThroughWindow(SendOpcode opcode) {
    boolean through = other.window.allows(access(opcode)) && random.nextBoolean();
    if (through) {
      other.window.use(drawn);
    }
    return through;
  }

  private Request shared(SendOpcode opcode) {
    SharedWord word = pick(other.peer.sharedWords);
    Request request = naming(bringing(opcode, Long.BYTES), word.offset(), other.peer.sharedKey(other.domain));
    request.sharedWord = word;
    request.compare = random.nextInt(4) > 0 ? word.guess() : random.nextLong();
    return request;
  }

  Request naming(Request request, long target, int key) {
    request.target = target;
    request.remoteKey = key;
    return request;
  }

  /** A request that carries bytes. */
  Request sending(SendOpcode opcode, int bytes) {
    Request request = request(opcode);
    LocalMemory memory =
        random.nextBoolean() ? own.peer.readable(own.domain) : own.peer.writable(own.domain);
    request.pieces = memory.take(random, bytes);
    request.payload = Arena.someBytes(random, bytes);
    own.peer.host.store(request.pieces, request.payload);
    request.inline = bytes <= maxInlineBytes && random.nextBoolean();
    if (request.inline) {
      request.pieces = withKey(request.pieces, UNKNOWN_KEY);
    }
    return request;
  }

  /** A request that brings bytes. */
  Request bringing(SendOpcode opcode, int bytes) {
    Request request = request(opcode);
    request.pieces = own.peer.writable(own.domain).take(random, bytes);
    return request;
  }

  /** A request that is done at its own end. */
  Request local(SendOpcode opcode) {
    return request(opcode);
  }

  private Request request(SendOpcode opcode) {
    Request request = new Request(opcode);
    request.signaled = random.nextInt(3) > 0;
    request.fenced = random.nextInt(5) == 0;
    request.solicited = random.nextInt(3) == 0;
    request.immediate = random.nextInt();
    request.swapOrAdd = random.nextLong();
    request.compare = random.nextLong();
    return request;
  }

  static AccessFlag access(SendOpcode opcode) {
    return switch (opcode) {
      case READ -> AccessFlag.REMOTE_READ;
      case WRITE, WRITE_WITH_IMMEDIATE, ATOMIC_WRITE -> AccessFlag.REMOTE_WRITE;
      case COMPARE_SWAP, FETCH_ADD -> AccessFlag.REMOTE_ATOMIC;
      default -> null;
    };
  }

  static Pieces withKey(Pieces pieces, int key) {
    int[] keys = new int[pieces.count()];
    Arrays.fill(keys, key);
    return new Pieces(pieces.offset(), pieces.lengthBytes(), keys);
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
