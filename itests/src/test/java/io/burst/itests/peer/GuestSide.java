package io.burst.itests.peer;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Soft-RoCE's end: each call is a command to verbs-peer. For one thread. */
final class GuestSide implements Side {

  private static final String BUFFER = "0";

  /** 17 ms: soft-RoCE waits so long for each READ response that was lost or overtaken. */
  private static final int TIMEOUT_CODE = 12;

  private final VerbsPeer peer;
  private final SoftRoce guest;
  private final int[] gidIndex = new int[Family.values().length];
  private final long address;
  private final int remoteKey;
  private int nextId;

  GuestSide(SoftRoce guest, VerbsPeer peer) throws Exception {
    this.peer = peer;
    this.guest = guest;
    for (Family family : Family.values()) {
      gidIndex[family.ordinal()] =
          Integer.parseInt(guest.run("gid-index " + family.name().toLowerCase(Locale.ROOT)));
    }
    Map<String, String> buffer = peer.ask("buffer id=" + BUFFER + " length=" + BUFFER_BYTES + " access=lrwab");
    address = Long.decode(buffer.get("address"));
    remoteKey = key(buffer.get("rkey"));
  }

  private static int key(String text) {
    return Long.decode(text).intValue();
  }

  @Override
  public void fill(int offset, int lengthBytes, long seed) {
    peer.ask("fill " + part(offset, lengthBytes) + " seed=" + Long.toUnsignedString(seed));
  }

  @Override
  public void poison(int offset, int lengthBytes) {
    peer.ask("fill " + part(offset, lengthBytes) + " byte=" + (POISON & 0xff));
  }

  @Override
  public int mismatch(int offset, int lengthBytes, long seed) {
    return difference(peer.ask("check " + part(offset, lengthBytes) + " seed=" + Long.toUnsignedString(seed)));
  }

  @Override
  public int spoiled(int offset, int lengthBytes) {
    return difference(peer.ask("check " + part(offset, lengthBytes) + " byte=" + (POISON & 0xff)));
  }

  private static String part(int offset, int lengthBytes) {
    return "id=" + BUFFER + " offset=" + offset + " length=" + lengthBytes;
  }

  private static int difference(Map<String, String> answer) {
    return Integer.parseInt(answer.getOrDefault("differs", "-1"));
  }

  @Override
  public long load(int offset) {
    return Long.parseUnsignedLong(peer.ask("load id=" + BUFFER + " offset=" + offset).get("value").substring(2), 16);
  }

  @Override
  public void store(int offset, long value) {
    peer.ask("store id=" + BUFFER + " offset=" + offset + " value=" + Long.toUnsignedString(value));
  }

  @Override
  public long address() {
    return address;
  }

  @Override
  public int remoteKey() {
    return remoteKey;
  }

  /** Ids may be used again, but none is taken before all others were. */
  @Override
  public Queue create(Terms terms) {
    nextId = (nextId + 1) % 64;
    return new GuestQueue(nextId, terms);
  }

  private final class GuestQueue implements Queue {

    private final int id;
    private final Terms terms;
    private final int number;
    private boolean hasWindow;
    private boolean hasAddress;

    GuestQueue(int id, Terms terms) {
      this.id = id;
      this.terms = terms;
      if (terms.sharedReceives()) {
        peer.ask("shared-queue id=" + id + " depth=64");
      }
      String service = terms.service().name().toLowerCase(Locale.ROOT);
      number = key(peer.ask("queue id=" + id + " type=" + service + " sends=64 receives=64 inline=64"
          + (terms.sharedReceives() ? " srq=" + id : "")).get("number"));
    }

    @Override
    public int number() {
      return number;
    }

    @Override
    public void connect(int remoteNumber) {
      String gid = "gid=" + guest.hostGid(terms.family()) + " sgid=" + gidIndex[terms.family().ordinal()];
      if (terms.service() == Service.UD) {
        peer.ask("init id=" + id + " qkey=" + BurstSide.QUEUE_KEY);
        peer.ask("rtr id=" + id);
        peer.ask("rts id=" + id + " psn=" + terms.psn());
        peer.ask("address id=" + id + " " + gid);
        hasAddress = true;
        return;
      }
      boolean reliable = terms.service() == Service.RC;
      peer.ask("init id=" + id + " access=lrwa");
      peer.ask("rtr id=" + id + " peer=" + remoteNumber + " psn=" + terms.psn() + " mtu=" + terms.pathMtu() + " " + gid
          + (reliable ? " reads=16 rnr-timer=12" : ""));
      peer.ask("rts id=" + id + " psn=" + terms.psn() + (reliable
          ? " timeout=" + TIMEOUT_CODE + " retries=" + terms.retries() + " rnr-retries=7 reads=16" : ""));
    }

    @Override
    public void receive(long work, List<Piece> pieces) {
      peer.ask("receive " + (terms.sharedReceives() ? "srq=" : "queue=") + id + " wr=" + work + pieces(pieces));
    }

    private String pieces(List<Piece> pieces) {
      return pieces.isEmpty() ? "" : pieces.stream()
          .map(piece -> BUFFER + ":" + piece.offset() + ":" + piece.lengthBytes())
          .collect(Collectors.joining(",", " pieces=", ""));
    }

    @Override
    public void send(long work, Work request) {
      String words = switch (request.operation) {
        case SEND -> "";
        case SEND_WITH_IMMEDIATE -> immediate(request);
        case SEND_WITH_INVALIDATE, LOCAL_INVALIDATE ->
            " invalidate=" + Integer.toUnsignedString(request.invalidate);
        case WRITE, READ -> remote(request);
        case WRITE_WITH_IMMEDIATE -> immediate(request) + remote(request);
        default -> remote(request) + " value=" + Long.toUnsignedString(request.value)
            + " swap=" + Long.toUnsignedString(request.swap);
      };
      if (terms.service() == Service.UD) {
        words += " address=" + id + " peer=" + request.remoteNumber + " qkey=" + BurstSide.QUEUE_KEY;
      }
      peer.ask("send queue=" + id + " op=" + request.operation.guestName + " wr=" + work
          + " flags=" + (request.inline ? "si" : "s") + pieces(request.pieces) + words);
    }

    private static String immediate(Work request) {
      return " imm=" + Integer.toUnsignedString(request.immediate);
    }

    private static String remote(Work request) {
      return " remote=" + Long.toUnsignedString(request.remoteAddress)
          + " key=" + Integer.toUnsignedString(request.remoteKey);
    }

    @Override
    public Outcome await(long timeoutMs) {
      Map<String, String> answer = peer.ask("poll queue=" + id + " ms=" + timeoutMs);
      if (answer.containsKey("none")) {
        return null;
      }
      return new Outcome(
          Long.parseLong(answer.get("wr")),
          Integer.parseInt(answer.get("status")),
          answer.get("opcode"),
          Integer.parseUnsignedInt(answer.getOrDefault("bytes", "0")),
          answer.containsKey("imm") ? key(answer.get("imm")) : null,
          answer.containsKey("invalidated") ? key(answer.get("invalidated")) : null,
          answer.containsKey("grh"),
          key(answer.getOrDefault("source", "0")));
    }

    @Override
    public int bindWindow(int offset, int lengthBytes) {
      int old = key(peer.ask("window id=" + id).get("rkey"));
      hasWindow = true;
      int bound = old & ~0xff | old + 1 & 0xff;
      peer.ask("send queue=" + id + " op=bind wr=0 flags=s window=" + id + " key=" + Integer.toUnsignedString(bound)
          + " buffer=" + BUFFER + " offset=" + offset + " length=" + lengthBytes + " access=wra");
      Outcome outcome = await(BurstSide.TIMEOUT_MS);
      if (outcome == null || outcome.status() != 0) {
        throw new IllegalStateException("the guest's window could not be bound: " + outcome);
      }
      return bound;
    }

    @Override
    public void limit(int receives) {
      peer.ask("shared-queue-limit id=" + id + " limit=" + receives);
    }

    @Override
    public boolean awaitEvent(int type, long timeoutMs) {
      Deadline deadline = Deadline.in(timeoutMs);
      while (!deadline.isOver()) {
        Map<String, String> answer = peer.ask("event ms=" + timeoutMs);
        if (String.valueOf(type).equals(answer.get("type"))
            && String.valueOf(id).equals(answer.getOrDefault("queue", answer.get("srq")))) {
          return true;
        }
      }
      return false;
    }

    @Override
    public void close() {
      if (hasWindow) {
        peer.ask("destroy kind=window id=" + id);
      }
      peer.ask("destroy kind=queue id=" + id);
      if (hasAddress) {
        peer.ask("destroy kind=address id=" + id);
      }
      if (terms.sharedReceives()) {
        peer.ask("destroy kind=shared-queue id=" + id);
      }
    }
  }
}
