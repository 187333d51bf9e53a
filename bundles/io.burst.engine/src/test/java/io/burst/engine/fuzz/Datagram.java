package io.burst.engine.fuzz;

import io.burst.engine.qp.Counter;
import io.burst.spi.Frame;
import java.nio.ByteBuffer;

/** A packet over IPv4 as the oracle reads it, by its own tables; never by those of the engine. */
final class Datagram {
  static final int IP = Frame.HEADROOM_BYTES;
  static final int UDP = IP + 20;
  static final int BTH = UDP + 8;
  static final int EXTENSION = BTH + 12;
  private static final int ICRC_BYTES = 4;
  private static final int PORT = 4791;

  private static final int UNKNOWN = -1;
  /** Bytes between BTH and payload, for the opcodes of the reliable connection. */
  private static final int[] RELIABLE = {
    0, 0, 0, 4, 0, 4, 16, 0, 0, 4, 16, 20, 16, 4, 0, 4, 4, 4, 12, 28, 28, -1, 4, 4, -1, -1, -1, -1, 20, 16, -1, -1
  };

  ByteBuffer buffer;
  /** The counters one of which says why the packet is dropped, a bit each; 0 for a good packet. */
  long defects;
  int opcode;
  int number;
  int psn;
  int partition;
  int source;
  int destination;
  boolean ackRequested;
  int payload;
  int payloadBytes;

  /** @param sealed whether the ICRC is right */
  void read(Frame frame, boolean sealed) {
    buffer = frame.buffer;
    defects = 0;
    int total = buffer.getShort(IP + 2) & 0xFFFF;
    int udp = buffer.getShort(UDP + 4) & 0xFFFF;
    source = buffer.getInt(IP + 12);
    destination = buffer.getInt(IP + 16);
    opcode = buffer.get(BTH) & 0xFF;
    partition = buffer.getShort(BTH + 2) & 0xFFFF;
    number = buffer.getInt(BTH + 4) & 0xFF_FFFF;
    ackRequested = buffer.get(BTH + 8) < 0;
    psn = buffer.getInt(BTH + 8) & 0xFF_FFFF;
    drop((buffer.getShort(UDP + 2) & 0xFFFF) != PORT, Counter.RX_FOREIGN);
    drop(udp < 8 + 12 + ICRC_BYTES || udp > total - 20 || total > frame.lengthBytes, Counter.RX_MALFORMED);
    drop((buffer.get(BTH + 1) & 0x0F) != 0, Counter.RX_MALFORMED);
    int headers = headerBytes(opcode);
    drop(headers == UNKNOWN, Counter.RX_UNKNOWN_OPCODE);
    int padded = udp - 8 - 12 - headers - ICRC_BYTES;
    int pad = buffer.get(BTH + 1) >> 4 & 3;
    boolean fits = padded >= pad && padded % 4 == 0 && (padded == 0 || carriesPayload(opcode));
    drop(headers != UNKNOWN && !fits, Counter.RX_MALFORMED);
    drop(!sealed, Counter.RX_ICRC_ENCAPSULATED);
    payload = EXTENSION + headers;
    payloadBytes = padded - pad;
  }

  private void drop(boolean defect, Counter counter) {
    if (defect) {
      defects |= 1L << counter.ordinal();
    }
  }

  static int headerBytes(int opcode) {
    return switch (opcode >> 5) {
      case 0 -> RELIABLE[opcode];
      case 1 -> opcode <= 0x2B ? RELIABLE[opcode & 0x1F] : UNKNOWN;
      default -> opcode == 0x64 ? 8 : opcode == 0x65 ? 12 : opcode == 0x81 ? 16 : UNKNOWN;
    };
  }

  private static boolean carriesPayload(int opcode) {
    return switch (opcode & 0x1F) {
      case 0x0C, 0x11, 0x12, 0x13, 0x14, 0x1C -> false;
      default -> opcode != 0x81;
    };
  }

  /** The opcode without its service. */
  int kind() {
    return opcode & 0x1F;
  }

  boolean isSend() {
    return kind() <= 5 || kind() == 0x16 || kind() == 0x17;
  }

  boolean isWrite() {
    return kind() >= 6 && kind() <= 0x0B;
  }

  boolean isFirst() {
    int kind = kind();
    return kind == 0 || kind == 4 || kind == 5 || kind == 6 || kind >= 0x0A && kind != 0x16;
  }

  boolean isLast() {
    int kind = kind();
    return kind != 0 && kind != 1 && kind != 6 && kind != 7;
  }

  boolean hasImmediate() {
    int kind = kind();
    return kind == 3 || kind == 5 || kind == 9 || kind == 0x0B;
  }

  boolean hasInvalidate() {
    return opcode == 0x16 || opcode == 0x17;
  }

  int immediate() {
    return buffer.getInt(payload - 4);
  }

  int invalidateKey() {
    return buffer.getInt(EXTENSION);
  }

  long address() {
    return buffer.getLong(EXTENSION);
  }

  int key() {
    return buffer.getInt(EXTENSION + 8);
  }

  long lengthBytes() {
    return buffer.getInt(EXTENSION + 12) & 0xFFFF_FFFFL;
  }

  long swapOrAdd() {
    return buffer.getLong(EXTENSION + 12);
  }

  long compare() {
    return buffer.getLong(EXTENSION + 20);
  }

  int syndrome() {
    return buffer.get(EXTENSION) & 0xFF;
  }

  int msn() {
    return buffer.getInt(EXTENSION) & 0xFF_FFFF;
  }

  long original() {
    return buffer.getLong(EXTENSION + 4);
  }
}
