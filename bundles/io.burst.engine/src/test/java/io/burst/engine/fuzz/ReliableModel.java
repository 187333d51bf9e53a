package io.burst.engine.fuzz;

import io.burst.engine.qp.Counter;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.QueuePairState;
import java.util.ArrayList;
import java.util.List;

/** The responder of a reliable connection, and its requester in {@link RequesterModel}. */
final class ReliableModel extends PairModel {
  static final int DEPTH = 4;
  private static final int RNR_TIMER = 12;
  private static final int ACK = 0x1F;
  private static final int NONE = -1;
  private static final int READ = 0x0C;
  private static final int COMPARE_SWAP = 0x13;
  private static final int FETCH_ADD = 0x14;
  private static final int FLUSH = 0x1C;
  private static final int ATOMIC_WRITE = 0x1D;

  /** A READ or atomic that was executed. */
  private static final class Resource {
    int kind;
    int psn;
    int packets;
    long address;
    int key;
    long length;
    long original;
    int next;
    int end;
    boolean answered;
  }

  final MessageModel message = new MessageModel(this);
  final RequesterModel requester = new RequesterModel(this);
  int expected;
  /** The last PSN of a SEND or WRITE. */
  private int placed;
  private int msn;
  private boolean told;
  private int owed;
  private int owedPsn;
  private final List<Resource> resources = new ArrayList<>();

  ReliableModel(Arena arena, Ledger ledger, int number, int local, int remote) {
    super(arena, ledger, 0, number, local, remote);
  }

  void restart(int rights, int receivePsn, int sendPsn) {
    restart(rights);
    message.drop();
    expected = receivePsn;
    placed = plus(receivePsn, -1);
    msn = 0;
    told = false;
    owed = NONE;
    resources.clear();
    requester.work.clear();
    requester.restart(sendPsn);
  }

  @Override
  void take(Datagram packet, long nowNs) {
    if (packet.kind() >= 0x0D && packet.kind() <= 0x12) {
      requester.take(packet, nowNs);
      return;
    }
    int order = order(packet.psn, expected);
    if (order > 0) {
      ledger.count(Counter.OUT_OF_SEQUENCE);
      tellGap();
    } else if (order < 0) {
      ledger.count(Counter.DUPLICATE_REQUEST);
      repeat(packet);
    } else {
      boolean untold = owed == 0x60;
      told = false;
      execute(packet);
      if (untold && packet.psn != expected) {
        tellGap();
      }
    }
  }

  private void tellGap() {
    if (!told) {
      told = true;
      owe(0x60, expected);
    }
  }

  private void repeat(Datagram packet) {
    switch (packet.kind()) {
      case READ -> {
        Resource resource = find(packet);
        if (resource != null) {
          int from = packet.psn - resource.psn & 0xFF_FFFF;
          long skipped = (long) from * MTU;
          if (packet.key() == resource.key
              && packet.address() == resource.address + skipped
              && packet.lengthBytes() == resource.length - skipped) {
            answerAgain(resource, from, resource.packets);
          }
        }
      }
      case COMPARE_SWAP, FETCH_ADD, ATOMIC_WRITE -> {
        Resource resource = find(packet);
        if (resource != null) {
          answerAgain(resource, 0, 1);
        }
      }
      default -> {
        if (owed == NONE) {
          // Not the PSN of a READ or atomic: to soft-RoCE that were its answer.
          owe(ACK, placed);
        }
      }
    }
  }

  private Resource find(Datagram packet) {
    for (Resource resource : resources) {
      if (resource.kind == packet.kind() && (packet.psn - resource.psn & 0xFF_FFFF) < resource.packets) {
        return resource;
      }
    }
    return null;
  }

  private static void answerAgain(Resource resource, int from, int to) {
    boolean pending = resource.next < resource.end;
    resource.next = pending ? Math.min(resource.next, from) : from;
    resource.end = pending ? Math.max(resource.end, to) : to;
  }

  private void execute(Datagram packet) {
    if (!message.admits(packet) || packet.kind() == FLUSH) {
      refuse(0x61, CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
    } else if (packet.isSend() || packet.isWrite()) {
      place(packet);
    } else if (packet.kind() == READ) {
      read(packet);
    } else {
      word(packet);
    }
  }

  private void place(Datagram packet) {
    int verdict = message.take(packet);
    if (verdict == MessageModel.NOT_READY) {
      ledger.count(Counter.OUT_OF_BUFFER);
      told = true;
      owe(0x20 | RNR_TIMER, expected);
    } else if (verdict != MessageModel.TAKEN) {
      refuse(verdict, message.failure);
    } else {
      hear();
      placed = expected;
      expected = plus(expected, 1);
      msn = plus(msn, packet.isLast() ? 1 : 0);
      if (packet.ackRequested || owed != NONE) {
        owe(ACK, packet.psn);
      }
    }
  }

  private void read(Datagram packet) {
    long length = packet.lengthBytes();
    if ((rights & Arena.READ) == 0 || length > 1L << 31 || isFull()) {
      refuse(0x61, CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
    } else if (length > 0 && arena.resolve(number, packet.key(), packet.address(), length, Arena.READ) < 0) {
      refuse(0x62, CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
    } else {
      keep(packet, Math.max(1, (int) ((length + MTU - 1) / MTU)), length, 0);
    }
  }

  private void word(Datagram packet) {
    boolean write = packet.kind() == ATOMIC_WRITE;
    boolean eight = !write || packet.payloadBytes == 8 && packet.lengthBytes() == 8;
    int right = write ? Arena.WRITE : Arena.ATOMIC;
    if ((rights & right) == 0 || !eight || (packet.address() & 7) != 0 || isFull()) {
      refuse(0x61, CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
      return;
    }
    int place = arena.resolve(number, packet.key(), packet.address(), 8, right);
    if (place < 0) {
      refuse(0x62, CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
    } else if ((arena.localAddress(place) & 7) != 0) {
      refuse(0x61, CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR);
    } else {
      long found = arena.longAt(place);
      if (write) {
        arena.expect(place, packet.buffer, packet.payload, 8);
      } else if (packet.kind() == FETCH_ADD) {
        arena.expectLong(place, found + packet.swapOrAdd());
      } else if (found == packet.compare()) {
        arena.expectLong(place, packet.swapOrAdd());
      }
      keep(packet, 1, 8, found);
    }
  }

  private boolean isFull() {
    return resources.size() == DEPTH && !resources.get(0).answered;
  }

  private void keep(Datagram packet, int packets, long length, long original) {
    Resource resource = resources.size() == DEPTH ? resources.remove(0) : new Resource();
    resource.kind = packet.kind();
    resource.psn = expected;
    resource.packets = packets;
    resource.address = packet.address();
    resource.key = packet.key();
    resource.length = length;
    resource.original = original;
    resource.next = 0;
    resource.end = packets;
    resource.answered = false;
    resources.add(resource);
    hear();
    expected = plus(expected, packets);
    msn = plus(msn, 1);
    owed = NONE;
  }

  private void refuse(int nak, CompletionStatus status) {
    owe(nak, expected);
    if (held != null) {
      failReceive(status);
    }
    tell(
        nak == 0x61
            ? AsyncEventType.QUEUE_PAIR_REQUEST_ERROR
            : nak == 0x62 ? AsyncEventType.QUEUE_PAIR_ACCESS_ERROR : AsyncEventType.QUEUE_PAIR_FATAL);
    enterError();
  }

  private void owe(int syndrome, int psn) {
    owed = syndrome;
    owedPsn = psn;
  }

  /** In the error state only a refusal is owed, and what came before it. */
  private boolean answers() {
    return state != QueuePairState.ERROR || owed >= 0x61;
  }

  /** What was answered in full once isn't answered again from memory that was given up since. */
  private Resource pending() {
    for (Resource resource : resources) {
      if (resource.next < resource.end && resource.answered && place(resource) < 0) {
        resource.end = resource.next;
      }
      if (resource.next < resource.end) {
        return resource;
      }
    }
    return null;
  }

  @Override
  void sent(Datagram packet, long nowNs) {
    if (packet.kind() >= 0x0D && packet.kind() <= 0x12) {
      answered(packet);
    } else {
      require(!answers() || pending() == null && owed == NONE, "a request before an answer", packet.opcode);
      requester.sent(packet, nowNs);
    }
  }

  private void answered(Datagram packet) {
    require(answers(), "an answer in the error state", packet.opcode);
    Resource resource = pending();
    int place = resource == null ? 0 : place(resource);
    if (place < 0) {
      resources.forEach(each -> each.end = each.next);
      owe(0x62, plus(resource.psn, resource.next));
      tell(AsyncEventType.QUEUE_PAIR_ACCESS_ERROR);
      enterError();
      resource = null;
    }
    if (resource == null) {
      require(owed != NONE, "an answer that isn't owed", packet.opcode);
      require(packet.opcode == 0x11 && packet.syndrome() == owed, "the wrong answer", packet.syndrome());
      require(packet.psn == owedPsn, "an answer with the wrong PSN", packet.psn);
      require(packet.msn() == msn, "an answer with the wrong MSN", packet.msn());
      owed = NONE;
      return;
    }
    int index = resource.next++;
    resource.answered |= resource.next == resource.packets;
    boolean last = index == resource.packets - 1;
    int opcode =
        resource.kind == COMPARE_SWAP || resource.kind == FETCH_ADD
            ? 0x12
            : index == 0 ? last ? 0x10 : 0x0D : last ? 0x0F : 0x0E;
    require(packet.opcode == opcode, "the wrong response", packet.opcode);
    require(packet.psn == plus(resource.psn, index), "a response with the wrong PSN", packet.psn);
    require(opcode == 0x0E || packet.syndrome() == ACK && packet.msn() == msn, "a response's AETH", packet.msn());
    require(opcode != 0x12 || packet.original() == resource.original, "an atomic's value", packet.original());
    int bytes = resource.kind == READ ? (int) Math.min(MTU, resource.length - (long) index * MTU) : 0;
    require(packet.payloadBytes == bytes, "a response's length", packet.payloadBytes);
    require(arena.holds(place, packet.buffer, packet.payload, bytes), "a response's bytes", packet.psn);
  }

  /** Where the next bytes of a READ are, -1 if the peer may have them no more. */
  private int place(Resource resource) {
    long offset = (long) resource.next * MTU;
    long bytes = Math.min(MTU, resource.length - offset);
    return resource.kind != READ || resource.length == 0
        ? 0
        : arena.resolve(number, resource.key, resource.address + offset, bytes, Arena.READ);
  }

  @Override
  void idle(long nowNs) {
    require(!answers() || pending() == null && owed == NONE, "an answer that wasn't sent", owed);
    requester.idle(nowNs);
  }

  @Override
  void timeout(long nowNs) {
    requester.timeout(nowNs);
  }

  @Override
  void flushSends() {
    requester.flush();
  }
}
