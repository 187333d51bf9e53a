package io.burst.engine.fuzz;

import io.burst.engine.wire.Icrc;
import io.burst.spi.Frame;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Makes packets for the queue pairs under test of what a fuzz input decides: mostly right ones for where the
 * conversation is, often ones that are wrong in one way, sometimes noise. Allocates nothing.
 */
final class PacketMaker {
  private static final int MTU = PairModel.MTU;
  private static final int ICRC_BYTES = 4;
  private static final int PORT = 4791;
  private static final int READ = 0x0C;
  private static final int STRANGER = 0xC000_02EE;
  private static final int[] REQUESTS = {0x00, 0x04, 0x05, 0x06, 0x0A, 0x0B, 0x0C, 0x13, 0x14, 0x17, 0x1D};
  private static final int[] ANSWERS = {0x11, 0x11, 0x11, 0x0D, 0x0E, 0x0F, 0x10, 0x12};
  private static final int[] SYNDROMES = {
    0x1F, 0x1F, 0x1F, 0x1F, 0x1F, 0x00, 0x21, 0x2C, 0x21, 0x60, 0x60, 0x1F, 0x00, 0x61, 0x62, 0x63, 0x45, 0x7F
  };
  private static final int[] JUMPS = {1, 2, 5, -1, -2, -5, -40, 0x40_0000, 0x7F_FFFF, 0x80_0000, -0x40_0000};

  private final Arena arena;
  private final Icrc icrc = new Icrc();
  /** READs that were made not long ago. */
  private final int[] readPsns = new int[4];
  private final long[] readAddresses = new long[4];
  private final int[] readKeys = new int[4];
  private final int[] readLengths = new int[4];
  private int fill;
  /** Whether the ICRC of the last packet is right. */
  boolean sealed;

  PacketMaker(Arena arena) {
    this.arena = arena;
  }

  /** Forgets the packets of the run before. */
  void restart() {
    fill = 0;
    Arrays.fill(readPsns, 0);
    Arrays.fill(readLengths, 0);
  }

  void make(Choices choices, PairModel to, Frame frame) {
    ByteBuffer out = frame.buffer;
    int remembered = choices.below(4 * readPsns.length);
    if (to.service == 0 && remembered < readPsns.length) {
      repeat(choices, to, frame, remembered);
      return;
    }
    int opcode = opcode(choices, to);
    int psn = psn(choices, to, opcode);
    int extension = Math.max(0, Datagram.headerBytes(opcode));
    int payloadBytes = payloadBytes(choices, to, opcode, psn);
    header(out, to, opcode, psn, choices.oneIn(3));
    headers(choices, to, out, opcode, payloadBytes, psn);
    int payload = Datagram.EXTENSION + extension;
    fill++;
    for (int i = 0; i < payloadBytes; i++) {
      out.put(payload + i, (byte) (fill + i));
    }
    int pad = -payloadBytes & 3;
    for (int i = 0; i < pad; i++) {
      out.put(payload + payloadBytes + i, (byte) 0);
    }
    out.put(Datagram.BTH + 1, (byte) (0x40 | pad << 4 | (choices.oneIn(4) ? 0x80 : 0)));
    lengthen(frame, payload + payloadBytes + pad + ICRC_BYTES - Datagram.IP);
    seal(frame);
    sealed = true;
    if (choices.oneIn(12)) {
      spoil(choices, frame);
    }
  }

  /** An earlier READ again, or the rest of it, or what only looks like it. */
  private void repeat(Choices choices, PairModel to, Frame frame, int index) {
    ByteBuffer out = frame.buffer;
    int skipped = choices.of(0, 0, 1, 2, 3);
    long offset = (long) skipped * MTU + choices.of(0, 0, 0, 8);
    header(out, to, READ, PairModel.plus(readPsns[index], skipped), choices.oneIn(3));
    out.put(Datagram.BTH + 1, (byte) 0x40);
    out.putLong(Datagram.EXTENSION, readAddresses[index] + offset).putInt(Datagram.EXTENSION + 8, readKeys[index]);
    out.putInt(Datagram.EXTENSION + 12, (int) (readLengths[index] - offset) + choices.of(0, 0, 0, -8, 8));
    lengthen(frame, Datagram.EXTENSION + 16 + ICRC_BYTES - Datagram.IP);
    seal(frame);
    sealed = true;
  }

  private void remember(int psn, long address, int key, int lengthBytes) {
    int index = fill % readPsns.length;
    readPsns[index] = psn;
    readAddresses[index] = address;
    readKeys[index] = key;
    readLengths[index] = lengthBytes;
  }

  private int opcode(Choices choices, PairModel to) {
    int way = choices.below(32) - 15;
    if (way == 16) {
      return choices.octet();
    }
    if (to.service == 3) {
      return choices.of(0x64, 0x65);
    }
    if (to.service == 0 && way < -5) {
      return answer(choices, ((ReliableModel) to).requester.oldest());
    }
    MessageModel message = to instanceof ReliableModel reliable ? reliable.message : ((UnreliableModel) to).message;
    int service = to.service << 5;
    if (message.isOpen() && way < 15) {
      if (message.isOpenSend()) {
        return service | (to.service == 0 ? choices.of(1, 1, 2, 3, 0x16) : choices.of(1, 1, 2, 3));
      }
      return service | (message.missing() > MTU ? 7 : choices.of(8, 9));
    }
    return service | (to.service == 0 ? choices.of(REQUESTS) : choices.of(0, 4, 5, 6, 0x0A, 0x0B));
  }

  private static int answer(Choices choices, RequesterModel.Work oldest) {
    boolean fitting = oldest != null && oldest.opcode.isAnswered() && !choices.oneIn(3);
    return !fitting ? choices.of(ANSWERS) : oldest.isReadAnswered() ? choices.of(0x10, 0x0D, 0x0E, 0x0F) : 0x12;
  }

  private int psn(Choices choices, PairModel to, int opcode) {
    int way = choices.below(8);
    int kind = opcode & 0x1F;
    if (to instanceof ReliableModel reliable && kind >= 0x0D && kind <= 0x12) {
      RequesterModel requester = reliable.requester;
      int last = PairModel.plus(requester.sent, -1);
      return way < 3
          ? requester.unacked
          : way < 5 ? PairModel.plus(requester.unacked, choices.below(8)) : way < 7 ? last : jump(choices, last);
    }
    int expected =
        to instanceof ReliableModel reliable ? reliable.expected : to instanceof UnreliableModel u ? u.expected : 0;
    return way < 7 ? expected : jump(choices, expected);
  }

  private static int jump(Choices choices, int from) {
    int way = choices.below(JUMPS.length + 1);
    return way == JUMPS.length ? choices.bits24() : PairModel.plus(from, JUMPS[way]);
  }

  private int payloadBytes(Choices choices, PairModel to, int opcode, int psn) {
    int kind = opcode & 0x1F;
    boolean wrong = choices.oneIn(24);
    if (wrong) {
      return choices.of(0, 1, 4, 8, 252, 255, 256, 257, 260, 512);
    }
    if (opcode == 0x64 || opcode == 0x65) {
      return choices.of(0, 1, 10, 100, 256);
    }
    if (kind == 0x1D) {
      return 8;
    }
    if (to instanceof ReliableModel reliable && kind >= 0x0D && kind <= 0x10) {
      RequesterModel.Work now = reliable.requester.at(psn);
      return now == null || now.isReadAnswered() && now.opcode.isAnswered() && now.total == 8
          ? 0
          : Math.max(0, Math.min(MTU, now.total - (psn - now.psn & 0xFF_FFFF) * MTU));
    }
    boolean carries = kind <= 0x0B || kind == 0x16 || kind == 0x17;
    boolean last = kind != 0 && kind != 1 && kind != 6 && kind != 7;
    if (!carries) {
      return 0;
    }
    if (!last) {
      return MTU;
    }
    MessageModel message =
        to instanceof ReliableModel reliable ? reliable.message : to instanceof UnreliableModel u ? u.message : null;
    boolean write = kind == 8 || kind == 9;
    return write && message != null && message.isOpen() && message.missing() > 0
        ? Math.min(MTU, message.missing())
        : choices.of(1, 3, 8, 100, 200, 256, 0, 16);
  }

  private void headers(Choices choices, PairModel to, ByteBuffer out, int opcode, int payloadBytes, int psn) {
    int kind = opcode & 0x1F;
    int at = Datagram.EXTENSION;
    if (to.service == 3 || opcode >= 0x60) {
      out.putInt(at, choices.oneIn(8) ? choices.octet() : SequenceDriver.QUEUE_KEY).putInt(at + 4, 7);
      out.putInt(at + 8, fill).putInt(at + 12, 0);
      return;
    }
    boolean word = kind == 0x13 || kind == 0x14 || kind == 0x1D;
    if (kind == 6 || kind == 0x0A || kind == 0x0B || kind == 0x0C || word) {
      long length = lengthBytes(choices, kind, payloadBytes);
      Arena.Grant grant = grant(choices);
      int key =
          choices.oneIn(32)
              ? choices.of(0, grant.key + 1, grant.key - 1, grant.key + 0x700, arena.windowKey)
              : grant.key;
      out.putLong(at, address(choices, grant, length, word)).putInt(at + 8, key).putInt(at + 12, (int) length);
      out.putInt(at + 16, fill);
      if (kind == READ && to.service == 0) {
        remember(psn, out.getLong(at), key, (int) length);
      }
      if (kind == 0x13 || kind == 0x14) {
        int place = arena.resolve(to.number, key, out.getLong(at), 8, 0);
        long there = place < 0 || fill % 2 == 0 ? 5 : arena.longAt(place);
        out.putLong(at + 12, fill * 0x0101_0101_0101L).putLong(at + 20, there);
      }
    } else if (kind == 0x16 || kind == 0x17) {
      Arena.Grant any = arena.grants.get(choices.below(arena.grants.size()));
      Arena.Grant window = arena.grants.get(arena.grants.size() - 1);
      out.putInt(at, choices.oneIn(4) ? any.key : window.key);
    } else if (kind == 0x1C) {
      out.putInt(at, 0).putLong(at + 4, 0).putLong(at + 12, 0);
    } else {
      out.putInt(at, choices.of(SYNDROMES) << 24 | fill & 0xFFFF).putLong(at + 4, fill * 77L);
      if (kind == 3 || kind == 5 || kind == 9) {
        out.putInt(at, fill * 0x01010101);
      }
    }
  }

  /** Mostly the region that allows everything, then the window if it is bound. */
  private Arena.Grant grant(Choices choices) {
    int last = arena.grants.size() - 1;
    return arena.grants.get(!choices.oneIn(4) ? 0 : choices.oneIn(2) ? last : choices.below(last + 1));
  }

  private static long lengthBytes(Choices choices, int kind, int payloadBytes) {
    boolean wrong = choices.oneIn(24);
    if (wrong) {
      return choices.of(0, 1, 7, 8, 9, 256, 257, 600, Integer.MIN_VALUE, Integer.MIN_VALUE + 1, -1) & 0xFFFF_FFFFL;
    }
    return switch (kind) {
      case 6 -> choices.of(257, 300, 512, 513, 700, 1024);
      case 0x0A, 0x0B -> payloadBytes;
      case 0x0C -> choices.of(1, 8, 256, 257, 512, 1000, 0, 2048);
      default -> 8;
    };
  }

  private static long address(Choices choices, Arena.Grant grant, long length, boolean word) {
    int way = choices.below(40);
    long step = word ? 8 : 1;
    return switch (way) {
      case 10, 11 -> grant.base + grant.lengthBytes - length;
      case 12 -> grant.base + grant.lengthBytes - length + step;
      case 13 -> grant.base - step;
      case 14 -> -step;
      case 15 -> grant.base + choices.octet();
      default -> grant.base + 8L * choices.below(32);
    };
  }

  private static void header(ByteBuffer out, PairModel to, int opcode, int psn, boolean quiet) {
    out.putInt(Datagram.IP, 0x4500_0000).putInt(Datagram.IP + 4, 0x4000).putInt(Datagram.IP + 8, 0x4011_0000);
    out.putInt(Datagram.IP + 12, to.remote == 0 ? STRANGER : to.remote).putInt(Datagram.IP + 16, to.local);
    out.putInt(Datagram.UDP, 0xC123 << 16 | PORT).putInt(Datagram.UDP + 4, 0);
    out.putInt(Datagram.BTH, opcode << 24 | 0xFFFF).putInt(Datagram.BTH + 4, to.number);
    out.putInt(Datagram.BTH + 8, (quiet ? 0 : 0x8000_0000) | psn);
  }

  /** @param length from the IP header to the end of the ICRC */
  private static void lengthen(Frame frame, int length) {
    ByteBuffer out = frame.buffer;
    frame.lengthBytes = length;
    out.putShort(Datagram.IP + 2, (short) length).putShort(Datagram.UDP + 4, (short) (length - 20));
  }

  private void seal(Frame frame) {
    ByteBuffer out = frame.buffer;
    out.putShort(Datagram.IP + 10, (short) 0);
    int sum = 0;
    for (int i = 0; i < 20; i += 2) {
      sum += out.getShort(Datagram.IP + i) & 0xFFFF;
    }
    sum = (sum & 0xFFFF) + (sum >>> 16);
    out.putShort(Datagram.IP + 10, (short) ~((sum & 0xFFFF) + (sum >>> 16)));
    int covered = frame.lengthBytes - ICRC_BYTES;
    if (covered >= 20 + 8 + 12) {
      out.putInt(Datagram.IP + covered, Integer.reverseBytes(icrc.compute(out, Datagram.IP, 20, covered)));
    }
  }

  /** One thing that is wrong with the packet itself. */
  private void spoil(Choices choices, Frame frame) {
    ByteBuffer out = frame.buffer;
    switch (choices.below(12)) {
      case 0 -> {
        xor(out, Datagram.EXTENSION + choices.octet() % (frame.lengthBytes - 40), 1 + choices.below(255));
        sealed = false;
        return;
      }
      case 1 -> {
        out.putShort(Datagram.UDP + 4, (short) choices.of(0, 8, 20, 23, 0x7FFF, 0xFFFF));
        sealed = false;
        return;
      }
      case 2 -> xor(out, Datagram.BTH + 1, 1 + choices.below(15));
      case 3 -> out.putShort(Datagram.BTH + 2, (short) choices.of(0x7FFF, 0xFFFE, 0, 0x8000, 0x7FFE));
      case 4 -> out.put(Datagram.IP + 15, (byte) choices.octet());
      case 5 -> out.put(Datagram.IP + 19, (byte) choices.octet());
      case 6 -> out.put(Datagram.BTH, (byte) choices.octet());
      case 7 -> out.putInt(Datagram.BTH + 4, choices.bits24());
      case 8 -> xor(out, Datagram.BTH + 1, choices.below(8) << 4);
      case 9 -> out.put(Datagram.UDP + 3, (byte) choices.octet());
      case 10 -> lengthen(frame, 28 + choices.octet() % (frame.lengthBytes - 27));
      default -> xor(out, Datagram.BTH + choices.octet() % (frame.lengthBytes - 28), choices.octet());
    }
    seal(frame);
  }

  private static void xor(ByteBuffer out, int index, int bits) {
    out.put(index, (byte) (out.get(index) ^ bits));
  }
}
