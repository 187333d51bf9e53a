package io.burst.engine.sim;

import io.burst.engine.qp.Connection;
import io.burst.engine.qp.Path;
import io.burst.engine.qp.QueuePairContext;
import io.burst.engine.qp.UnreliableDatagram;
import io.burst.engine.sim.model.Mismatch;
import io.burst.engine.sim.model.Pieces;
import io.burst.engine.sim.model.Request;
import io.burst.engine.sim.model.UnreliableEnd;
import io.burst.engine.wire.Flow;
import io.burst.engine.wire.Transport;
import io.burst.verbs.AccessFlag;
import io.burst.verbs.AsyncEventType;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.Gid;
import io.burst.verbs.QueuePairState;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.SendOpcode;
import io.burst.verbs.SendRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * An application on a queue pair of an unreliable service, which sends to one peer or, as datagrams, to several.
 * Belongs to the thread of its run.
 */
final class UnreliableApplication extends Application {
  private static final int[] INLINE_BYTES = {0, 16, 300};
  private static final int MOST_AHEAD = 8;
  private static final int MOST_AT_ONCE = 3;
  private static final int SELDOM = 25;
  private static final int ROUTE_HEADER_BYTES = 40;
  private static final int SPARE_BYTES = 32;
  private static final int USUAL_QUEUE_KEY = 0x1234_5678;
  private static final int RESERVED_TIMEOUT = 0;

  /** What an unreliable connection sends, and datagrams. */
  private static final List<SendOpcode> CONNECTED =
      List.of(SendOpcode.SEND, SendOpcode.SEND_WITH_IMMEDIATE, SendOpcode.WRITE, SendOpcode.WRITE_WITH_IMMEDIATE);
  private static final List<SendOpcode> DATAGRAMS = List.of(SendOpcode.SEND, SendOpcode.SEND_WITH_IMMEDIATE);
  private static final List<SendOpcode> NEVER =
      List.of(SendOpcode.READ, SendOpcode.FETCH_ADD, SendOpcode.SEND_WITH_INVALIDATE, SendOpcode.ATOMIC_WRITE);

  final UnreliableEnd end;

  private final QueuePairContext queuePair;
  private final boolean datagrams;
  private final Terms terms;
  private final Target target;
  private final int longestBytes;
  private final Messages messages;
  private final int ahead;
  private final SendRequest request = new SendRequest();
  private final List<UnreliableApplication> peers = new ArrayList<>();
  private final List<Path> paths = new ArrayList<>();
  private int toPost;
  private int finished;
  private long nextPostNs;
  private long failNs = Long.MAX_VALUE;
  private int receivesTold;
  private boolean lastReceiveTold;

  private UnreliableApplication(
      SplittableRandom random, Peer peer, int domain, SharedQueue shared, boolean datagrams, Terms terms,
      UnreliableEnd.Link link, int toPost, Histogram histogram) {
    super(random, peer, domain, INLINE_BYTES[random.nextInt(INLINE_BYTES.length)], shared, histogram);
    this.datagrams = datagrams;
    this.terms = terms;
    this.toPost = toPost;
    ahead = 1 + random.nextInt(MOST_AHEAD);
    int mtuBytes = terms.mtu().bytes();
    int room = datagrams ? mtuBytes / 2 : Messages.LONGEST_BYTES;
    longestBytes = shared == null ? room : Math.min(room, SharedQueue.ROOM_BYTES - ROUTE_HEADER_BYTES);
    messages = new Messages(random.split(), mtuBytes, longestBytes);
    if (datagrams) {
      target = null;
      int queueKey = random.nextInt(3) == 0 ? random.nextInt() & Integer.MAX_VALUE : USUAL_QUEUE_KEY;
      UnreliableDatagram datagram = peer.endpoint.createDatagram(domain, queues(), this::event);
      datagram.initialize(queueKey);
      queuePair = datagram;
      end =
          UnreliableEnd.ofDatagrams(
              peer.host, domain, posted, link, datagram.number(), mtuBytes, queueKey, peer.addressBytes());
    } else {
      target = new Target(random.split(), peer, domain);
      Set<AccessFlag> access =
          random.nextInt(4) == 0 ? EnumSet.noneOf(AccessFlag.class) : EnumSet.of(AccessFlag.REMOTE_WRITE);
      Connection connection = peer.endpoint.createConnection(Transport.UC, domain, queues(), this::event);
      connection.initialize(access);
      queuePair = connection;
      end = UnreliableEnd.connected(peer.host, domain, access, posted, link, connection.number());
    }
    if (shared != null) {
      shared.addUser(() -> end.arriving() + end.doubled());
    }
  }

  static UnreliableApplication connected(
      SplittableRandom random, Peer peer, int domain, SharedQueue shared, Terms terms, UnreliableEnd.Link link,
      int toPost, Histogram histogram) {
    return new UnreliableApplication(random, peer, domain, shared, false, terms, link, toPost, histogram);
  }

  static UnreliableApplication ofDatagrams(
      SplittableRandom random, Peer peer, int domain, SharedQueue shared, Terms terms, UnreliableEnd.Link link,
      int toPost, Histogram histogram) {
    return new UnreliableApplication(random, peer, domain, shared, true, terms, link, toPost, histogram);
  }

  void connect(UnreliableApplication other, int sendPsn, int receivePsn) throws IOException {
    peers.add(other);
    Path path = peer.path(other.peer, end.number(), other.end.number());
    Connection connection = (Connection) queuePair;
    connection.readyToReceive(new ReadyToReceive(other.end.number(), receivePsn, terms.mtu(), null, 0, 0), path);
    connection.readyToSend(new ReadyToSend(sendPsn, RESERVED_TIMEOUT, 0, 0, 0));
  }

  void address(List<UnreliableApplication> others, int sendPsn) throws IOException {
    for (UnreliableApplication other : others) {
      peers.add(other);
      paths.add(peer.path(other.peer, end.number(), other.end.number()));
    }
    UnreliableDatagram datagram = (UnreliableDatagram) queuePair;
    datagram.readyToReceive(terms.mtu().bytes(), List.of(Gid.of(peer.address())), Flow.sourcePort(end.number(), 0));
    datagram.readyToSend(sendPsn);
  }

  void failAt(long nowNs) {
    failNs = nowNs;
  }

  @Override
  QueuePairContext queuePair() {
    return queuePair;
  }

  @Override
  long nextActNs() {
    return isDone() ? Long.MAX_VALUE : Math.min(failNs, hasToPost() ? nextPostNs : Long.MAX_VALUE);
  }

  @Override
  boolean isDone() {
    return toPost == 0 && end.isDone() && !end.isStopped() || end.hasFailed() && end.isDone();
  }

  @Override
  void act(long nowNs) {
    if (nowNs >= failNs) {
      failNs = Long.MAX_VALUE;
      giveUp();
    }
    if (nowNs < nextPostNs || !hasToPost()) {
      return;
    }
    nextPostNs = nowNs + 1 + random.nextLong(terms.mostPauseNs());
    if (end.isStopped() && !end.hasFailed() && end.outstandingSends() == 0 && random.nextInt(3) == 0) {
      Mismatch.unless(queuePair.state() == QueuePairState.SEND_QUEUE_ERROR, "a send failed in %s", queuePair.state());
      end.resume();
      queuePair.resume();
    }
    for (int i = random.nextInt(1 + MOST_AT_ONCE); i > 0 && toPost > 0; i--) {
      postSend();
    }
    for (int i = 1 + random.nextInt(MOST_AT_ONCE); i > 0 && hasToPostReceive(); i--) {
      postReceive(receive());
    }
  }

  @Override
  void giveUp() {
    end.fail();
    queuePair.enterError();
  }

  @Override
  void checkEnd() {
    end.checkEnd();
    Mismatch.unless(lastReceiveTold == (shared != null), "the event of the last receive: %s", lastReceiveTold);
  }

  @Override
  void sendCompleted(int index, Completion completion, long nowNs) {
    end.sendCompleted(index, completion);
  }

  @Override
  boolean receiveCompleted(int index, Completion completion) {
    end.receiveCompleted(index, completion);
    receivesTold++;
    histogram.add(datagrams ? "datagrams" : "unreliable connections", completion.status);
    return completion.status == CompletionStatus.SUCCESS && end.lastReceivedWasSolicited();
  }

  @Override
  void sendsLeft(long nowNs) {
    end.sendsLeft(end.posted() - queuePair.outstandingSends());
    while (finished < end.posted() - end.outstandingSends()) {
      overwrite(end.request(finished++).pieces);
    }
  }

  @Override
  void raised(AsyncEventType type, long nowNs) {
    Mismatch.unless(
        type == AsyncEventType.LAST_RECEIVE_REACHED && end.hasFailed() && !lastReceiveTold,
        "an event %s that isn't due", type);
    lastReceiveTold = true;
  }

  private boolean hasToPost() {
    return toPost > 0 || end.isStopped() || hasToPostReceive();
  }

  /** Receives are there before their messages, except that on a link that loses they may come too late. */
  private boolean hasToPostReceive() {
    return hasRoomForReceive() && !end.hasFailed() && posted.posted() < receivesTold + ahead;
  }

  private Pieces receive() {
    int bytes =
        datagrams
            ? ROUTE_HEADER_BYTES + longestBytes
            : messages.consuming(posted.posted()) + random.nextInt(SPARE_BYTES);
    return peer.writable(domain).take(random, bytes);
  }

  private void postSend() {
    int choice = random.nextInt(peers.size());
    UnreliableApplication other = peers.get(choice);
    if (queuePair.outstandingSends() == sendDepth || !other.hasRoomForMessage()) {
      return;
    }
    Request next = draw(other);
    int index = end.post(next, other.end);
    fill(next, other, index);
    boolean taken = sends.post(request, datagrams ? paths.get(choice) : null);
    Mismatch.unless(taken, "a send queue with room took no request");
    if (next.inline) {
      overwrite(next.pieces);
    }
    toPost--;
    histogram.add("operations", (datagrams ? "UD_" : "UC_") + next.opcode);
    histogram.add("lengths in packets", packets(next.pieces.totalBytes(), terms.mtu().bytes()));
  }

  /** Whether a message that arrives finds a receive, where it has to. */
  private boolean hasRoomForMessage() {
    return !end.losesNothing() || end.arriving() < posted.posted();
  }

  private void fill(Request next, UnreliableApplication other, int index) {
    request.workRequestId = identifiers.send(index);
    request.opcode = next.opcode;
    request.signaled = next.signaled;
    request.inline = next.inline;
    request.solicited = next.solicited;
    request.immediate = next.immediate;
    request.remoteAddress = other.peer.name(next.remoteKey, next.target);
    request.remoteKey = next.remoteKey;
    request.remoteNumber = other.end.number();
    request.remoteQueueKey = next.queueKey;
    peer.fill(request.buffers, next.pieces);
  }

  private Request draw(UnreliableApplication other) {
    boolean wrong = random.nextInt(SELDOM) == 0;
    boolean refused = random.nextInt(SELDOM) == 0;
    List<SendOpcode> opcodes = datagrams ? DATAGRAMS : CONNECTED;
    if (wrong && random.nextBoolean()) {
      return request(random.nextBoolean() && datagrams ? SendOpcode.WRITE : pick(NEVER), Long.BYTES, other);
    }
    SendOpcode opcode = pick(opcodes);
    boolean consumes = opcode.isSend() || opcode == SendOpcode.WRITE_WITH_IMMEDIATE;
    int bytes = consumes && !datagrams ? other.messages.consuming(other.end.arriving()) : messages.next();
    bytes = datagrams ? Math.min(bytes, other.longestBytes) : bytes;
    if (wrong && datagrams && random.nextBoolean()) {
      return request(opcode, terms.mtu().bytes() + 1, other);
    }
    Request request = request(opcode, refused && opcode.isSend() ? tooLong(bytes, other) : bytes, other);
    if (wrong && request.pieces.totalBytes() > 0) {
      request.inline = false;
      request.pieces = Work.withKey(request.pieces, Work.UNKNOWN_KEY);
    }
    return request;
  }

  /** Longer than the receive that it meets. */
  private int tooLong(int bytes, UnreliableApplication other) {
    int room = terms.mtu().bytes() - other.longestBytes;
    return datagrams ? other.longestBytes + 1 + random.nextInt(room) : bytes + SPARE_BYTES;
  }

  private Request request(SendOpcode opcode, int bytes, UnreliableApplication other) {
    Request next = new Request(opcode);
    next.signaled = random.nextInt(3) > 0;
    // Of two that look the same both are or neither is, since nobody can say which of them came.
    next.solicited = bytes % 3 == 0;
    next.immediate = random.nextInt();
    next.pieces = (random.nextBoolean() ? peer.readable(domain) : peer.writable(domain)).take(random, bytes);
    if (opcode != SendOpcode.READ && opcode != SendOpcode.FETCH_ADD) {
      next.payload = Arena.someBytes(random, bytes);
      peer.host.store(next.pieces, next.payload);
      next.inline = bytes <= sends.maxInlineBytes() && random.nextBoolean();
    }
    if (datagrams) {
      next.queueKey = queueKey(other);
    } else if (!opcode.isSend()) {
      next.target = other.target.area + random.nextInt(Math.max(1, Target.AREA_BYTES - bytes + 1));
      next.remoteKey = random.nextInt(SELDOM) == 0 ? Work.UNKNOWN_KEY : other.target.areaKey();
      if (random.nextInt(SELDOM) == 0 && bytes > 0) {
        next.target = other.target.area + Target.AREA_BYTES - bytes + 1;
      }
    }
    return next;
  }

  /** The other end's, or one that isn't, or, with the highest bit, this end's own. */
  private int queueKey(UnreliableApplication other) {
    return switch (random.nextInt(SELDOM)) {
      case 0 -> other.end.queueKey() ^ 1 << random.nextInt(Integer.SIZE - 1);
      case 1 -> random.nextInt() | 1 << 31;
      default -> other.end.queueKey();
    };
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  /** Where it stands, for who looks into a run that hangs. */
  @Override
  public String toString() {
    String todo = toPost + " to post, " + end.outstandingSends() + " under way";
    return queuePair.state() + " " + (isDone() ? "done" : todo);
  }
}
