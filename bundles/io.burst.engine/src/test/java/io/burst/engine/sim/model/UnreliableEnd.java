package io.burst.engine.sim.model;

import io.burst.verbs.AccessFlag;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionOpcode;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.SendOpcode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A queue pair of an unreliable service, connected or for datagrams: sends complete when they are sent, and what is
 * received was sent, whole, and as often and in the order that the link allows. Belongs to the thread of its run.
 */
public final class UnreliableEnd extends Side {
  /** What a link may do to messages. */
  public enum Link {
    /** Nothing, and there is a receive for each: all arrive. */
    LOSES_NOTHING,
    LOSES,
    REORDERS,
    DOUBLES
  }

  private static final int ROUTE_HEADER_BYTES = 40;
  private static final int IPV4_HEADER_BYTES = 20;
  private static final int OWN_QUEUE_KEY = 1 << 31;

  private final Link link;
  private final int number;
  private final boolean datagrams;
  private final int longestBytes;
  private final int queueKey;
  private final byte[] address;
  private final List<Message> sent = new ArrayList<>();
  private final List<Message> arriving = new ArrayList<>();
  /** The order of the last message that was received from each source. */
  private final Map<Integer, Integer> last = new HashMap<>();
  private int ordered;
  private int reported;
  private boolean failed;
  private boolean sendsStopped;
  private boolean lastSolicited;
  private int doubled;

  private static final class Message {
    final Request request;
    final UnreliableEnd source;
    final UnreliableEnd destination;
    final CompletionStatus status;
    final boolean arrives;
    /** Its place among all that were to go the same way. */
    int order;
    boolean sent;
    boolean received;

    Message(
        Request request, UnreliableEnd source, UnreliableEnd destination, CompletionStatus status, boolean arrives) {
      this.request = request;
      this.source = source;
      this.destination = destination;
      this.status = status;
      this.arrives = arrives;
    }
  }

  private UnreliableEnd(
      Host host, int domain, Set<AccessFlag> access, Receives receives, Link link, int number, boolean datagrams,
      int longestBytes, int queueKey, byte[] address) {
    super(host, domain, access, receives);
    this.link = link;
    this.number = number;
    this.datagrams = datagrams;
    this.longestBytes = longestBytes;
    this.queueKey = queueKey;
    this.address = address;
  }

  public static UnreliableEnd connected(
      Host host, int domain, Set<AccessFlag> access, Receives receives, Link link, int number) {
    return new UnreliableEnd(host, domain, access, receives, link, number, false, Integer.MAX_VALUE, 0, null);
  }

  /**
   * @param longestBytes of a message
   * @param queueKey that datagrams to it must carry
   * @param address its IP address, 4 or 16 bytes
   */
  public static UnreliableEnd ofDatagrams(
      Host host, int domain, Receives receives, Link link, int number, int longestBytes, int queueKey,
      byte[] address) {
    return new UnreliableEnd(host, domain, Set.of(), receives, link, number, true, longestBytes, queueKey, address);
  }

  public int number() {
    return number;
  }

  public int queueKey() {
    return queueKey;
  }

  /** @return its place in the order, from 0 on */
  public int post(Request request, UnreliableEnd destination) {
    Message message =
        new Message(request, this, destination, judge(request), destination.takes(request, this));
    sent.add(message);
    if (request.consumesReceive() && message.status == CompletionStatus.SUCCESS && message.arrives) {
      message.order = destination.ordered++;
      destination.arriving.add(message);
    }
    return sent.size() - 1;
  }

  public int posted() {
    return sent.size();
  }

  public int outstandingSends() {
    return sent.size() - reported;
  }

  public Request request(int index) {
    return sent.get(index).request;
  }

  /** Messages that are to arrive, so far. */
  public int arriving() {
    return arriving.size();
  }

  /** Messages that arrived more than once. */
  public int doubled() {
    return doubled;
  }

  public boolean lastReceivedWasSolicited() {
    return lastSolicited;
  }

  public boolean losesNothing() {
    return link == Link.LOSES_NOTHING;
  }

  public boolean hasFailed() {
    return failed;
  }

  /** Whether a send has failed: those behind it are flushed until the application goes on. */
  public boolean isStopped() {
    return sendsStopped;
  }

  public void fail() {
    failed = true;
  }

  public void resume() {
    sendsStopped = false;
  }

  public boolean isDone() {
    return outstandingSends() == 0 && (!failed || receives.isShared() || receives.outstanding() == 0);
  }

  /** So many of the sends are no longer outstanding: silent ones among them were sent. */
  public void sendsLeft(int count) {
    while (!failed && !sendsStopped && reported < count && !sent.get(reported).request.signaled) {
      finish();
    }
  }

  public void sendCompleted(int index, Completion completion) {
    while (reported < index && !failed && !sendsStopped && !sent.get(reported).request.signaled) {
      finish();
    }
    Mismatch.unless(index == reported, "send %d completed, %d is next", index, reported);
    Message message = sent.get(index);
    if (completion.status == CompletionStatus.SUCCESS) {
      Mismatch.unless(!failed && !sendsStopped, "send %d completed after another has failed", index);
      Mismatch.unless(message.request.signaled, "a silent request completed aloud");
      Mismatch.unless(completion.opcode == message.request.opcode.completion(), "a wrong opcode");
      Mismatch.unless(!completion.hasImmediate, "a send completed with an immediate");
      finish();
    } else {
      boolean follows = failed || sendsStopped;
      CompletionStatus expected = follows ? CompletionStatus.WORK_REQUEST_FLUSHED : message.status;
      Mismatch.unless(
          completion.status == expected && expected != CompletionStatus.SUCCESS,
          "send %d ended as %s, not as %s", index, completion.status, expected);
      sendsStopped = true;
      reported++;
      message.destination.arriving.remove(message);
    }
  }

  public void receiveCompleted(int index, Completion completion) {
    receives.complete(index);
    if (failed) {
      Mismatch.unless(
          completion.status == CompletionStatus.WORK_REQUEST_FLUSHED,
          "receive %d ended as %s after the queue pair has failed", index, completion.status);
      return;
    }
    Mismatch.unless(completion.status == CompletionStatus.SUCCESS, "receive %d ended as %s", index, completion.status);
    Pieces pieces = receives.get(index);
    Message message = find(completion, pieces);
    Mismatch.unless(message != null, "receive %d completed with what was never sent, or not to come", index);
    doubled += message.received ? 1 : 0;
    message.received = true;
    last.put(message.source.number, message.order);
    lastSolicited = message.request.solicited;
    checkRouteHeader(completion, pieces, message);
    // A message that broke off may have used it before, and left more than this one has.
    host.forget(pieces);
  }

  public void checkEnd() {
    Mismatch.unless(isDone(), "%d sends and %d receives never completed", outstandingSends(), receives.outstanding());
    for (Message message : sent) {
      checkEnd(message);
    }
  }

  private void checkEnd(Message message) {
    boolean exact = message.destination.losesNothing();
    boolean expected = message.sent && message.arrives;
    if (exact && expected && message.request.consumesReceive()) {
      Mismatch.unless(message.received, "a %s was lost where nothing is", message.request.opcode);
    }
    if (message.request.writes() && message.arrives && message.status == CompletionStatus.SUCCESS) {
      int target = (int) message.request.target;
      if (exact && expected) {
        message.destination.host.expect(target, message.request.payload);
      } else if (!exact) {
        message.destination.host.mayHold(target, message.request.payload);
      }
    }
  }

  private void finish() {
    Message message = sent.get(reported++);
    Mismatch.unless(
        message.status == CompletionStatus.SUCCESS, "a request that is %s completed well", message.status);
    message.sent = true;
  }

  /** Which message it is; the link says how far out of order it may be. */
  private Message find(Completion completion, Pieces pieces) {
    boolean anyOrder = link == Link.REORDERS || link == Link.DOUBLES;
    for (Message message : arriving) {
      if (!datagrams || message.source.number == completion.sourceQueuePairNumber) {
        boolean inOrder = anyOrder || message.order > last.getOrDefault(message.source.number, -1);
        boolean isNew = !message.received || link == Link.DOUBLES;
        if (inOrder && isNew && message.sent && is(message, completion, pieces)) {
          return message;
        }
        if (losesNothing() && !message.received) {
          return null;
        }
      }
    }
    return null;
  }

  private boolean is(Message message, Completion completion, Pieces pieces) {
    Request request = message.request;
    boolean send = request.opcode.isSend();
    return completion.opcode
            == (send ? CompletionOpcode.RECEIVE : CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE)
        && completion.lengthBytes == headerBytes() + request.lengthBytes()
        && completion.hasImmediate == request.opcode.hasImmediate()
        && (!completion.hasImmediate || completion.immediate == request.immediate)
        && !completion.hasInvalidatedKey
        && completion.hasGlobalRouteHeader == datagrams
        && (send ? isIn(pieces, request.payload) : isWritten(message));
  }

  private boolean isIn(Pieces pieces, byte[] payload) {
    byte[] there = host.actual(pieces);
    int end = headerBytes() + payload.length;
    return end <= there.length && Arrays.equals(there, headerBytes(), end, payload, 0, payload.length);
  }

  /** Every byte is there, or that of another WRITE. */
  private boolean isWritten(Message message) {
    byte[] payload = message.request.payload;
    int target = (int) message.request.target;
    for (int i = 0; i < payload.length; i++) {
      if (host.actual(target + i) != payload[i] && !message.source.hasWritten(target + i, host.actual(target + i))) {
        return false;
      }
    }
    return true;
  }

  private boolean hasWritten(int at, byte value) {
    for (Message message : sent) {
      long index = at - message.request.target;
      if (message.request.writes()
          && index >= 0
          && index < message.request.payload.length
          && message.request.payload[(int) index] == value) {
        return true;
      }
    }
    return false;
  }

  private int headerBytes() {
    return datagrams ? ROUTE_HEADER_BYTES : 0;
  }

  /** The IP header that came, an IPv4 one in the last half; who was to have it can be read there. */
  private void checkRouteHeader(Completion completion, Pieces pieces, Message message) {
    if (!datagrams) {
      return;
    }
    byte[] header = Arrays.copyOf(host.actual(pieces), ROUTE_HEADER_BYTES);
    boolean ipv4 = address.length == Integer.BYTES;
    int version = header[ipv4 ? IPV4_HEADER_BYTES : 0] >> 4;
    int destinationAt = ROUTE_HEADER_BYTES - address.length;
    int sourceAt = destinationAt - address.length;
    byte[] source = Arrays.copyOfRange(header, sourceAt, destinationAt);
    byte[] destination = Arrays.copyOfRange(header, destinationAt, ROUTE_HEADER_BYTES);
    Mismatch.unless(
        version == (ipv4 ? 4 : 6)
            && Arrays.equals(source, message.source.address)
            && Arrays.equals(destination, address),
        "the route header of receive %d is wrong", completion.workRequestId);
  }

  private CompletionStatus judge(Request request) {
    boolean offered =
        request.opcode == SendOpcode.SEND
            || request.opcode == SendOpcode.SEND_WITH_IMMEDIATE
            || !datagrams && request.opcode.isWrite();
    if (!offered) {
      return CompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR;
    }
    if (request.lengthBytes() > longestBytes) {
      return CompletionStatus.LOCAL_LENGTH_ERROR;
    }
    return request.inline || host.permitsLocal(this, request.pieces, null)
        ? CompletionStatus.SUCCESS
        : CompletionStatus.LOCAL_PROTECTION_ERROR;
  }

  /** Whether a message may come in here; for all others there is silence. */
  private boolean takes(Request request, UnreliableEnd source) {
    if (datagrams) {
      int key = (request.queueKey & OWN_QUEUE_KEY) == 0 ? request.queueKey : source.queueKey;
      return key == queueKey && fits(request);
    }
    if (request.opcode.isSend()) {
      return fits(request);
    }
    int bytes = request.lengthBytes();
    return access.contains(AccessFlag.REMOTE_WRITE)
        && (bytes == 0
            || host.permits(this, request.remoteKey, request.target, bytes, AccessFlag.REMOTE_WRITE));
  }

  /** Where nothing is lost it is known which receive it meets. */
  private boolean fits(Request request) {
    if (receives.isShared()) {
      return headerBytes() + request.lengthBytes() <= receives.sharedRoomBytes();
    }
    return link != Link.LOSES_NOTHING
        || arriving.size() < receives.posted()
            && headerBytes() + request.lengthBytes() <= receives.get(arriving.size()).totalBytes();
  }
}
