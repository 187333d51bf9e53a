package io.burst.engine.qp;

import static io.burst.engine.qp.Packets.packet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Header;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.Operation;
import io.burst.engine.wire.PacketWriter;
import io.burst.engine.wire.Psn;
import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.Transport;
import io.burst.linux.Memory;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.PathMtu;
import io.burst.verbs.QueuePairState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every request that is well formed and may not be executed, in all of its lives: in sequence it is refused and ends
 * the connection (IBTA volume 1, 9.7.4.1 and table "Responder error behavior"), behind it is a duplicate that nobody
 * looks at, ahead it is a gap, and over the unreliable connection it never was. No byte changes in any of them.
 */
class BadRequestsTest {
  private static final String LOCAL = "192.0.2.1";
  private static final String REMOTE = "192.0.2.2";
  private static final int NUMBER = 0x71;
  private static final int PSN = 0xFF_FFFF;
  private static final int SEND_PSN = 77;
  private static final int MTU = 256;
  private static final int ROOM_BYTES = 2 * MTU + 10;
  private static final int READS_AT_ONCE = 4;
  private static final int OTHER_BYTES = 4096;
  private static final int WINDOW_BYTES = 64;
  private static final Set<AccessFlag> ALL = EnumSet.allOf(AccessFlag.class);

  /** What came before. */
  private enum Context {
    NOTHING,
    SEND_FIRST,
    SEND_FIRST_AND_MIDDLE,
    WRITE_FIRST,
    /** Since which the region that it writes is gone. */
    WRITE_FIRST_THEN_ITS_REGION_WENT,
    READS
  }

  /** The memory that the request names. */
  private enum Target {
    GOOD,
    MISALIGNED,
    UNKNOWN_KEY,
    KEY_ZERO,
    OLD_KEY,
    OTHER_DOMAIN,
    NO_ACCESS,
    ONE_PAST_THE_END,
    ONE_BEFORE_THE_START,
    WRAPS,
    WINDOW_OF_ANOTHER_QUEUE_PAIR,
    WINDOW_THAT_WAS_TAKEN_AWAY,
    WINDOW_NEVER_BOUND,
    ONE_PAST_THE_WINDOW
  }

  /**
   * @param lengthBytes what its RETH says
   * @param access what the queue pair allows
   */
  private record Request(
      Context context,
      Opcode opcode,
      Target target,
      long lengthBytes,
      int payloadBytes,
      Set<AccessFlag> access,
      int nak,
      CompletionStatus receiveStatus) {

    @Override
    public String toString() {
      return opcode + " after " + context + ", " + target + ", " + payloadBytes + " of " + lengthBytes + " bytes, "
          + access.size() + " rights";
    }
  }

  private OneQueuePair queuePair;
  private final ByteBuffer other = ByteBuffer.allocateDirect(OTHER_BYTES);
  private int psn;

  static Stream<Request> requests() {
    List<Request> all = new ArrayList<>();
    addWrongOrder(all);
    addWrongLength(all);
    addWrongTarget(all);
    addNotAllowed(all);
    addTooLong(all);
    return all.stream();
  }

  private static void addWrongOrder(List<Request> all) {
    for (Context context : List.of(Context.NOTHING, Context.SEND_FIRST, Context.WRITE_FIRST)) {
      Operation open =
          context == Context.NOTHING ? null : context == Context.SEND_FIRST ? Operation.SEND : Operation.WRITE;
      for (Opcode opcode : Opcode.values()) {
        boolean admitted = open == null ? opcode.isFirst() : !opcode.isFirst() && opcode.operation() == open;
        if (opcode.transport() == Transport.RC && opcode.isRequest() && (!admitted || opcode == Opcode.RC_FLUSH)) {
          int payload = opcode.operation() == Operation.ATOMIC_WRITE ? Long.BYTES : opcode.isLast() ? 10 : MTU;
          add(all, context, opcode, Target.GOOD, payload, opcode.hasPayload() ? payload : 0, Aeth.NAK_INVALID_REQUEST);
        }
      }
    }
  }

  private static void addWrongLength(List<Request> all) {
    for (int bytes : new int[] {0, 4, MTU - 1, MTU + 1, MTU + 4, 2 * MTU}) {
      addInvalid(all, Context.NOTHING, Opcode.RC_SEND_FIRST, 3 * MTU, bytes);
      addInvalid(all, Context.NOTHING, Opcode.RC_WRITE_FIRST, 3 * MTU, bytes);
      addInvalid(all, Context.SEND_FIRST, Opcode.RC_SEND_MIDDLE, 0, bytes);
      addInvalid(all, Context.WRITE_FIRST, Opcode.RC_WRITE_MIDDLE, 0, bytes);
    }
    for (int bytes : new int[] {0, MTU + 1, MTU + 4}) {
      addInvalid(all, Context.SEND_FIRST, Opcode.RC_SEND_LAST, 0, bytes);
      addInvalid(all, Context.SEND_FIRST, Opcode.RC_SEND_LAST_IMMEDIATE, 0, bytes);
      addInvalid(all, Context.WRITE_FIRST, Opcode.RC_WRITE_LAST, 0, bytes);
      addInvalid(all, Context.WRITE_FIRST, Opcode.RC_WRITE_LAST_IMMEDIATE, 0, bytes);
    }
    for (int bytes : new int[] {MTU + 1, 2 * MTU}) {
      addInvalid(all, Context.NOTHING, Opcode.RC_SEND_ONLY, bytes, bytes);
      addInvalid(all, Context.NOTHING, Opcode.RC_SEND_ONLY_IMMEDIATE, bytes, bytes);
      addInvalid(all, Context.NOTHING, Opcode.RC_WRITE_ONLY, bytes, bytes);
      addInvalid(all, Context.NOTHING, Opcode.RC_WRITE_ONLY_IMMEDIATE, bytes, bytes);
    }
    // The message of the context is 2 * MTU + 10 bytes long.
    for (int bytes : new int[] {1, 9, 11, MTU}) {
      addInvalid(all, Context.WRITE_FIRST, Opcode.RC_WRITE_LAST, 0, bytes);
      addInvalid(all, Context.WRITE_FIRST, Opcode.RC_WRITE_LAST_IMMEDIATE, 0, bytes);
    }
    for (long said : new long[] {0, 9, 11, 1L << 31, 0xFFFF_FFFFL}) {
      addInvalid(all, Context.NOTHING, Opcode.RC_WRITE_ONLY, said, 10);
      addInvalid(all, Context.NOTHING, Opcode.RC_WRITE_ONLY_IMMEDIATE, said, 10);
    }
    for (long said : new long[] {0, 1, MTU, (1L << 31) + 1, 0xFFFF_FFFFL}) {
      addInvalid(all, Context.NOTHING, Opcode.RC_WRITE_FIRST, said, MTU);
    }
    for (int bytes : new int[] {0, 7, 9, 16}) {
      addInvalid(all, Context.NOTHING, Opcode.RC_ATOMIC_WRITE, Long.BYTES, bytes);
      addInvalid(all, Context.NOTHING, Opcode.RC_ATOMIC_WRITE, bytes, bytes);
      addInvalid(all, Context.NOTHING, Opcode.RC_ATOMIC_WRITE, bytes, Long.BYTES);
    }
    addInvalid(all, Context.NOTHING, Opcode.RC_READ_REQUEST, (1L << 31) + 1, 0);
    for (Opcode atomic : List.of(Opcode.RC_COMPARE_SWAP, Opcode.RC_FETCH_ADD, Opcode.RC_ATOMIC_WRITE)) {
      int payload = atomic.hasPayload() ? Long.BYTES : 0;
      add(all, Context.NOTHING, atomic, Target.MISALIGNED, Long.BYTES, payload, Aeth.NAK_INVALID_REQUEST);
    }
  }

  private static void addWrongTarget(List<Request> all) {
    for (Target target : EnumSet.range(Target.UNKNOWN_KEY, Target.ONE_PAST_THE_WINDOW)) {
      for (Opcode opcode : Opcode.values()) {
        boolean names = opcode.has(Header.RETH) || opcode.has(Header.ATOMIC_ETH);
        if (opcode.transport() == Transport.RC && names && opcode != Opcode.RC_FLUSH) {
          int payload = opcode.isLast() ? Long.BYTES : MTU;
          long length = opcode.isLast() ? Long.BYTES : MTU + 10;
          int carried = opcode.hasPayload() ? payload : 0;
          add(all, Context.NOTHING, opcode, target, length, carried, Aeth.NAK_REMOTE_ACCESS_ERROR);
        }
      }
    }
    Context gone = Context.WRITE_FIRST_THEN_ITS_REGION_WENT;
    add(all, gone, Opcode.RC_WRITE_MIDDLE, Target.GOOD, 0, MTU, Aeth.NAK_REMOTE_ACCESS_ERROR);
    // Only windows that this queue pair bound may be taken away, and regions never.
    for (Target target : List.of(Target.GOOD, Target.UNKNOWN_KEY, Target.KEY_ZERO, Target.OLD_KEY, Target.OTHER_DOMAIN,
        Target.WINDOW_OF_ANOTHER_QUEUE_PAIR, Target.WINDOW_THAT_WAS_TAKEN_AWAY, Target.WINDOW_NEVER_BOUND)) {
      for (Opcode opcode : List.of(Opcode.RC_SEND_ONLY_INVALIDATE, Opcode.RC_SEND_LAST_INVALIDATE)) {
        Context context = opcode.isFirst() ? Context.NOTHING : Context.SEND_FIRST;
        all.add(new Request(context, opcode, target, 0, 10, ALL, Aeth.NAK_REMOTE_ACCESS_ERROR,
            CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR));
      }
    }
  }

  private static void addNotAllowed(List<Request> all) {
    for (AccessFlag missing : List.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC)) {
      Set<AccessFlag> rest = EnumSet.complementOf(EnumSet.of(missing));
      for (Opcode opcode : Opcode.values()) {
        if (opcode.transport() == Transport.RC && missing == needed(opcode.operation()) && opcode.isFirst()) {
          long length = opcode.isLast() ? Long.BYTES : 2 * MTU;
          int payload = opcode.isLast() ? Long.BYTES : MTU;
          int carried = opcode.hasPayload() ? payload : 0;
          all.add(new Request(Context.NOTHING, opcode, Target.GOOD, length, carried, rest, Aeth.NAK_INVALID_REQUEST,
              CompletionStatus.WORK_REQUEST_FLUSHED));
        }
      }
    }
  }

  private static AccessFlag needed(Operation operation) {
    return switch (operation) {
      case WRITE, ATOMIC_WRITE -> AccessFlag.REMOTE_WRITE;
      case READ_REQUEST -> AccessFlag.REMOTE_READ;
      case COMPARE_SWAP, FETCH_ADD -> AccessFlag.REMOTE_ATOMIC;
      default -> null;
    };
  }

  private static void addTooLong(List<Request> all) {
    // The receive has room for 2 * MTU + 10.
    for (Opcode opcode : List.of(Opcode.RC_SEND_LAST, Opcode.RC_SEND_LAST_IMMEDIATE, Opcode.RC_SEND_LAST_INVALIDATE)) {
      all.add(new Request(Context.SEND_FIRST_AND_MIDDLE, opcode, Target.GOOD, 0, 11, ALL, Aeth.NAK_INVALID_REQUEST,
          CompletionStatus.LOCAL_LENGTH_ERROR));
    }
    all.add(new Request(Context.SEND_FIRST_AND_MIDDLE, Opcode.RC_SEND_MIDDLE, Target.GOOD, 0, MTU, ALL,
        Aeth.NAK_INVALID_REQUEST, CompletionStatus.LOCAL_LENGTH_ERROR));
    add(all, Context.READS, Opcode.RC_READ_REQUEST, Target.GOOD, 8, 0, Aeth.NAK_INVALID_REQUEST);
    add(all, Context.READS, Opcode.RC_FETCH_ADD, Target.GOOD, 8, 0, Aeth.NAK_INVALID_REQUEST);
    add(all, Context.READS, Opcode.RC_ATOMIC_WRITE, Target.GOOD, 8, 8, Aeth.NAK_INVALID_REQUEST);
  }

  private static void addInvalid(List<Request> all, Context context, Opcode opcode, long length, int payload) {
    add(all, context, opcode, Target.GOOD, length, payload, Aeth.NAK_INVALID_REQUEST);
  }

  /** A message that has begun holds its receive, which fails with it; others are flushed. */
  private static void add(
      List<Request> all, Context context, Opcode opcode, Target target, long length, int payload, int nak) {
    CompletionStatus status =
        context == Context.SEND_FIRST
            ? CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR
            : CompletionStatus.WORK_REQUEST_FLUSHED;
    all.add(new Request(context, opcode, target, length, payload, ALL, nak, status));
  }

  @ParameterizedTest
  @MethodSource("requests")
  void inSequenceItIsRefusedAndEndsTheConnection(Request request) {
    prepare(Transport.RC, request);
    byte[] bad = packetOf(request, request.opcode, psn);
    Snapshot before = new Snapshot(queuePair);
    queuePair.receive(bad, 0);
    if (request.context == Context.READS) {
      for (int i = 0; i < READS_AT_ONCE; i++) {
        assertThat(queuePair.transmit(0).opcode()).isEqualTo(Opcode.RC_READ_RESPONSE_ONLY);
      }
    }
    assertAnswer(request.nak, psn, request.context == Context.READS ? READS_AT_ONCE : 0);
    assertThat(queuePair.transmit(0)).isNull();
    before.assertMemoryUnchanged();
    assertOtherUnchanged();
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.ERROR);
    assertThat(queuePair.events)
        .containsExactly(
            request.nak == Aeth.NAK_INVALID_REQUEST
                ? AsyncEventType.QUEUE_PAIR_REQUEST_ERROR
                : AsyncEventType.QUEUE_PAIR_ACCESS_ERROR);
    // The outstanding send is flushed, and of the receives one may have the error.
    List<Completion> completions = pollAll();
    assertThat(completions).hasSize(3);
    assertThat(completions).filteredOn(c -> c.workRequestId == 1).singleElement().extracting(c -> c.status)
        .isEqualTo(request.receiveStatus);
    assertThat(completions).filteredOn(c -> c.workRequestId != 1).extracting(c -> c.workRequestId, c -> c.status)
        .containsExactlyInAnyOrder(
            tuple(2L, CompletionStatus.WORK_REQUEST_FLUSHED),
            tuple(3L, CompletionStatus.WORK_REQUEST_FLUSHED));
    before = new Snapshot(queuePair);
    queuePair.receive(bad, 0);
    before.assertOnlyCounted(Counter.RX_WRONG_STATE);
  }

  @ParameterizedTest
  @MethodSource("requests")
  void aheadItIsAGapThatIsToldOnce(Request request) {
    prepare(Transport.RC, request);
    answerReads(request);
    Snapshot before = new Snapshot(queuePair);
    queuePair.receive(packetOf(request, request.opcode, psn + 1), 0);
    assertThat(before.changes()).containsEntry(Counter.OUT_OF_SEQUENCE, 1L).hasSize(2);
    assertAnswer(Aeth.NAK_SEQUENCE_ERROR, psn, msn(request));
    before.assertNothingChanged();
    before = new Snapshot(queuePair);
    queuePair.receive(packetOf(request, request.opcode, psn + 0x7F_FFFF), 0);
    before.assertOnlyCounted(Counter.OUT_OF_SEQUENCE);
    assertOtherUnchanged();
    assertGoesOn(request);
  }

  @ParameterizedTest
  @MethodSource("requests")
  void behindItIsADuplicateThatNobodyLooksAt(Request request) {
    for (int distance : new int[] {-6, -1000, -0x80_0000}) {
      prepare(Transport.RC, request);
      answerReads(request);
      Snapshot before = new Snapshot(queuePair);
      queuePair.receive(packetOf(request, request.opcode, psn + distance), 0);
      assertThat(before.changes()).containsEntry(Counter.DUPLICATE_REQUEST, 1L).hasSize(2);
      // Nothing was kept of a READ or atomic that never was; all else is acknowledged as far as it came.
      if (request.opcode.operation() == Operation.SEND
          || request.opcode.operation() == Operation.WRITE
          || request.opcode.operation() == Operation.FLUSH) {
        assertAnswer(Aeth.ACK, psn - 1, msn(request));
      }
      assertThat(queuePair.transmit(0)).isNull();
      assertThat(queuePair.poll()).isNull();
      before.assertNothingChanged();
      assertOtherUnchanged();
      assertGoesOn(request);
    }
  }

  static Stream<Request> unreliableRequests() {
    return requests()
        .filter(request -> EnumSet.of(Operation.SEND, Operation.WRITE).contains(request.opcode.operation()))
        .filter(request -> !request.opcode.hasInvalidate() && request.context != Context.READS);
  }

  @ParameterizedTest
  @MethodSource("unreliableRequests")
  void unreliablyItNeverWas(Request request) {
    prepare(Transport.UC, request);
    // A First or Only is no error within a message: it begins the next.
    boolean begins = request.opcode.isFirst() && request.context != Context.NOTHING;
    Snapshot before = new Snapshot(queuePair);
    queuePair.receive(packetOf(request, Opcode.of(request.opcode.code() + 0x20), psn), 0);
    if (!begins) {
      before.assertMemoryUnchanged();
      assertThat(queuePair.poll()).isNull();
      boolean ofNoMessage = request.context == Context.NOTHING && !request.opcode.isFirst();
      assertThat(before.changes()).hasSize(ofNoMessage ? 1 : 2);
      assertThat(before.changes().getOrDefault(Counter.RX_DROPPED_MESSAGES, 0L)).isEqualTo(ofNoMessage ? 0 : 1);
    }
    assertOtherUnchanged();
    assertThat(queuePair.transmit(0)).isNull();
    assertThat(queuePair.connection.state()).isEqualTo(QueuePairState.READY_TO_SEND);
    if (!begins) {
      queuePair.receive(good(Opcode.UC_SEND_ONLY, psn + 1), 0);
      Completion done = queuePair.poll();
      assertThat(done.workRequestId).isEqualTo(1);
      assertThat(done.status).isEqualTo(CompletionStatus.SUCCESS);
    }
  }

  private int msn(Request request) {
    return request.context == Context.READS ? READS_AT_ONCE : 0;
  }

  private void answerReads(Request request) {
    for (int i = 0; i < msn(request); i++) {
      assertThat(queuePair.transmit(0)).isNotNull();
    }
  }

  /** What may come next comes, and is taken. */
  private void assertGoesOn(Request request) {
    Opcode next =
        switch (request.context) {
          case NOTHING, READS -> Opcode.RC_SEND_ONLY;
          case SEND_FIRST, SEND_FIRST_AND_MIDDLE -> Opcode.RC_SEND_LAST;
          case WRITE_FIRST, WRITE_FIRST_THEN_ITS_REGION_WENT -> Opcode.RC_WRITE_MIDDLE;
        };
    queuePair.receive(good(next, psn), 0);
    if (request.context == Context.WRITE_FIRST_THEN_ITS_REGION_WENT) {
      assertAnswer(Aeth.NAK_REMOTE_ACCESS_ERROR, psn, 0);
    } else {
      assertAnswer(Aeth.ACK, psn, next.isLast() ? msn(request) + 1 : msn(request));
    }
  }

  private byte[] good(Opcode opcode, int psn) {
    return packet(
        REMOTE, LOCAL, opcode, NUMBER, psn, w -> w.ackRequested(true), new byte[opcode.isLast() ? 10 : MTU]);
  }

  private void assertAnswer(int syndrome, int psn, int msn) {
    RocePacket answer = queuePair.transmit(0);
    assertThat(answer).isNotNull();
    assertThat(answer.opcode()).isEqualTo(Opcode.RC_ACKNOWLEDGE);
    assertThat(answer.aethSyndrome()).isEqualTo(syndrome);
    assertThat(answer.psn()).isEqualTo(Psn.mask(psn));
    assertThat(answer.aethMsn()).isEqualTo(msn);
  }

  private void assertOtherUnchanged() {
    byte[] bytes = new byte[OTHER_BYTES];
    other.get(0, bytes);
    assertThat(bytes).containsOnly(0);
  }

  private List<Completion> pollAll() {
    List<Completion> all = new ArrayList<>();
    for (Completion completion = queuePair.poll(); completion != null; completion = queuePair.poll()) {
      all.add(completion);
    }
    return all;
  }

  /** A connected queue pair with two receives and a send outstanding, in the context; it expects {@link #psn}. */
  private void prepare(Transport service, Request request) {
    queuePair = new OneQueuePair(service, NUMBER, LOCAL, REMOTE, request.access);
    queuePair.connect(0x72, PSN, SEND_PSN, PathMtu.MTU_256, 14, 7, 7);
    queuePair.postReceive(1, 0, ROOM_BYTES);
    queuePair.postReceive(2, 1000, ROOM_BYTES);
    if (service == Transport.RC) {
      queuePair.postSend(3, 0, 10);
      assertThat(queuePair.transmit(0).psn()).isEqualTo(SEND_PSN);
    }
    psn = PSN;
    int unreliable = service == Transport.UC ? 0x20 : 0;
    switch (request.context) {
      case NOTHING -> { }
      case SEND_FIRST -> begin(0x00 + unreliable, queuePair.region.key());
      case SEND_FIRST_AND_MIDDLE -> {
        begin(0x00 + unreliable, queuePair.region.key());
        begin(0x01 + unreliable, queuePair.region.key());
      }
      case WRITE_FIRST -> begin(0x06 + unreliable, queuePair.region.key());
      case WRITE_FIRST_THEN_ITS_REGION_WENT -> {
        Region region =
            queuePair.table.add(
                OneQueuePair.DOMAIN, Memory.addressOf(queuePair.memory), queuePair.memory.capacity(), OneQueuePair.ALL);
        begin(0x06 + unreliable, region.key());
        queuePair.table.remove(region.key());
      }
      case READS -> {
        for (int i = 0; i < READS_AT_ONCE; i++) {
          begin(Opcode.RC_READ_REQUEST.code(), queuePair.region.key());
        }
      }
    }
  }

  private void begin(int code, int key) {
    Opcode opcode = Opcode.of(code);
    long bytes = opcode == Opcode.RC_READ_REQUEST ? 8 : 2 * MTU + 10;
    long address = queuePair.region.address() + 8000;
    byte[] payload = new byte[opcode.hasPayload() ? MTU : 0];
    queuePair.receive(
        packet(REMOTE, LOCAL, opcode, NUMBER, psn++, w -> fill(w, opcode, address, key, bytes), payload), 0);
  }

  private byte[] packetOf(Request request, Opcode opcode, int psn) {
    byte[] payload = new byte[request.payloadBytes];
    Arrays.fill(payload, (byte) 0x3C);
    Region region = target(request);
    long address = address(request, region);
    int key = key(request, region);
    return packet(
        REMOTE, LOCAL, opcode, NUMBER, psn, w -> fill(w, opcode, address, key, request.lengthBytes), payload);
  }

  private Region target(Request request) {
    return switch (request.target) {
      case OTHER_DOMAIN -> add(OneQueuePair.DOMAIN + 1, OneQueuePair.ALL);
      case NO_ACCESS ->
          add(OneQueuePair.DOMAIN, OneQueuePair.ALL & ~Region.bit(needed(request.opcode.operation())));
      default -> queuePair.region;
    };
  }

  private long address(Request request, Region region) {
    long end = region.address() + region.lengthBytes();
    return switch (request.target) {
      case ONE_PAST_THE_END -> end - request.lengthBytes + (isWord(request) ? Long.BYTES : 1);
      case ONE_BEFORE_THE_START -> region.address() - (isWord(request) ? Long.BYTES : 1);
      case WRAPS -> -request.lengthBytes + (isWord(request) ? 0 : 4);
      case MISALIGNED -> region.address() + 9000 + 4;
      case ONE_PAST_THE_WINDOW ->
          region.address() + 9000 + WINDOW_BYTES - request.lengthBytes + (isWord(request) ? Long.BYTES : 1);
      default -> region.address() + 9000;
    };
  }

  /** Of words an address that isn't a multiple of their size is another error. */
  private static boolean isWord(Request request) {
    return request.opcode.operation() == Operation.ATOMIC_WRITE || request.opcode.has(Header.ATOMIC_ETH);
  }

  private int key(Request request, Region region) {
    return switch (request.target) {
      case UNKNOWN_KEY -> region.key() + 0x100;
      case KEY_ZERO -> 0;
      case OLD_KEY -> region.key() - 1;
      case WINDOW_OF_ANOTHER_QUEUE_PAIR -> bind(NUMBER + 1);
      case WINDOW_THAT_WAS_TAKEN_AWAY -> {
        int key = bind(NUMBER);
        queuePair.table.invalidate(key);
        yield key;
      }
      case WINDOW_NEVER_BOUND -> queuePair.table.addWindow(OneQueuePair.DOMAIN).key();
      case ONE_PAST_THE_WINDOW -> bind(NUMBER);
      default -> region.key();
    };
  }

  private int bind(int number) {
    int windowKey = queuePair.table.addWindow(OneQueuePair.DOMAIN).key();
    int newKey = windowKey & ~0xFF | windowKey + 1 & 0xFF;
    WindowBinding binding = new WindowBinding();
    binding.windowKey = windowKey;
    binding.newKey = newKey;
    binding.regionKey = queuePair.region.key();
    binding.address = queuePair.region.address() + 9000;
    binding.lengthBytes = WINDOW_BYTES;
    binding.access =
        Region.mask(EnumSet.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC));
    assertThat(queuePair.table.bind(binding, OneQueuePair.DOMAIN, number)).isTrue();
    return newKey;
  }

  private Region add(int domain, int access) {
    return queuePair.table.add(domain, Memory.addressOf(other), OTHER_BYTES, access);
  }

  private static void fill(PacketWriter writer, Opcode opcode, long address, int key, long lengthBytes) {
    for (Header header : opcode.headers()) {
      switch (header) {
        case RETH -> writer.reth(address, key, lengthBytes);
        case ATOMIC_ETH -> writer.atomic(address, key, 1, 2);
        case IMM_DT -> writer.immediate(7);
        case IETH -> writer.invalidate(key);
        case FETH -> writer.feth(0, 0);
        default -> throw new IllegalArgumentException(header + " of a request");
      }
    }
  }
}
