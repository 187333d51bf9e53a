package io.burst.engine.wire;

import static io.burst.engine.wire.Header.AETH;
import static io.burst.engine.wire.Header.ATOMIC_ACK_ETH;
import static io.burst.engine.wire.Header.ATOMIC_ETH;
import static io.burst.engine.wire.Header.CNP_RESERVED;
import static io.burst.engine.wire.Header.DETH;
import static io.burst.engine.wire.Header.FETH;
import static io.burst.engine.wire.Header.IETH;
import static io.burst.engine.wire.Header.IMM_DT;
import static io.burst.engine.wire.Header.RETH;
import static io.burst.engine.wire.Operation.ACKNOWLEDGE;
import static io.burst.engine.wire.Operation.ATOMIC_ACKNOWLEDGE;
import static io.burst.engine.wire.Operation.ATOMIC_WRITE;
import static io.burst.engine.wire.Operation.COMPARE_SWAP;
import static io.burst.engine.wire.Operation.FETCH_ADD;
import static io.burst.engine.wire.Operation.FLUSH;
import static io.burst.engine.wire.Operation.READ_REQUEST;
import static io.burst.engine.wire.Operation.READ_RESPONSE;
import static io.burst.engine.wire.Operation.SEND;
import static io.burst.engine.wire.Operation.WRITE;
import static io.burst.engine.wire.Position.FIRST;
import static io.burst.engine.wire.Position.LAST;
import static io.burst.engine.wire.Position.MIDDLE;
import static io.burst.engine.wire.Position.ONLY;
import static io.burst.engine.wire.Transport.RC;
import static io.burst.engine.wire.Transport.UC;
import static io.burst.engine.wire.Transport.UD;

import java.util.Arrays;
import java.util.List;

/**
 * One row for each BTH opcode (IBTA volume 1, 9.2, table "OpCode field"; FLUSH and ATOMIC WRITE from annex A19, CNP
 * from annex A17): its code, what it does, and the headers between BTH and payload in their order on the wire.
 */
public enum Opcode {
  RC_SEND_FIRST(0x00, RC, SEND, FIRST),
  RC_SEND_MIDDLE(0x01, RC, SEND, MIDDLE),
  RC_SEND_LAST(0x02, RC, SEND, LAST),
  RC_SEND_LAST_IMMEDIATE(0x03, RC, SEND, LAST, IMM_DT),
  RC_SEND_ONLY(0x04, RC, SEND, ONLY),
  RC_SEND_ONLY_IMMEDIATE(0x05, RC, SEND, ONLY, IMM_DT),
  RC_WRITE_FIRST(0x06, RC, WRITE, FIRST, RETH),
  RC_WRITE_MIDDLE(0x07, RC, WRITE, MIDDLE),
  RC_WRITE_LAST(0x08, RC, WRITE, LAST),
  RC_WRITE_LAST_IMMEDIATE(0x09, RC, WRITE, LAST, IMM_DT),
  RC_WRITE_ONLY(0x0A, RC, WRITE, ONLY, RETH),
  RC_WRITE_ONLY_IMMEDIATE(0x0B, RC, WRITE, ONLY, RETH, IMM_DT),
  RC_READ_REQUEST(0x0C, RC, READ_REQUEST, ONLY, RETH),
  RC_READ_RESPONSE_FIRST(0x0D, RC, READ_RESPONSE, FIRST, AETH),
  RC_READ_RESPONSE_MIDDLE(0x0E, RC, READ_RESPONSE, MIDDLE),
  RC_READ_RESPONSE_LAST(0x0F, RC, READ_RESPONSE, LAST, AETH),
  RC_READ_RESPONSE_ONLY(0x10, RC, READ_RESPONSE, ONLY, AETH),
  RC_ACKNOWLEDGE(0x11, RC, ACKNOWLEDGE, ONLY, AETH),
  RC_ATOMIC_ACKNOWLEDGE(0x12, RC, ATOMIC_ACKNOWLEDGE, ONLY, AETH, ATOMIC_ACK_ETH),
  RC_COMPARE_SWAP(0x13, RC, COMPARE_SWAP, ONLY, ATOMIC_ETH),
  RC_FETCH_ADD(0x14, RC, FETCH_ADD, ONLY, ATOMIC_ETH),
  RC_SEND_LAST_INVALIDATE(0x16, RC, SEND, LAST, IETH),
  RC_SEND_ONLY_INVALIDATE(0x17, RC, SEND, ONLY, IETH),
  RC_FLUSH(0x1C, RC, FLUSH, ONLY, FETH, RETH),
  RC_ATOMIC_WRITE(0x1D, RC, ATOMIC_WRITE, ONLY, RETH),

  UC_SEND_FIRST(0x20, UC, SEND, FIRST),
  UC_SEND_MIDDLE(0x21, UC, SEND, MIDDLE),
  UC_SEND_LAST(0x22, UC, SEND, LAST),
  UC_SEND_LAST_IMMEDIATE(0x23, UC, SEND, LAST, IMM_DT),
  UC_SEND_ONLY(0x24, UC, SEND, ONLY),
  UC_SEND_ONLY_IMMEDIATE(0x25, UC, SEND, ONLY, IMM_DT),
  UC_WRITE_FIRST(0x26, UC, WRITE, FIRST, RETH),
  UC_WRITE_MIDDLE(0x27, UC, WRITE, MIDDLE),
  UC_WRITE_LAST(0x28, UC, WRITE, LAST),
  UC_WRITE_LAST_IMMEDIATE(0x29, UC, WRITE, LAST, IMM_DT),
  UC_WRITE_ONLY(0x2A, UC, WRITE, ONLY, RETH),
  UC_WRITE_ONLY_IMMEDIATE(0x2B, UC, WRITE, ONLY, RETH, IMM_DT),

  UD_SEND_ONLY(0x64, UD, SEND, ONLY, DETH),
  UD_SEND_ONLY_IMMEDIATE(0x65, UD, SEND, ONLY, DETH, IMM_DT),

  CNP(0x81, Transport.CNP, Operation.CNP, ONLY, CNP_RESERVED);

  private static final Opcode[] BY_CODE = new Opcode[256];

  static {
    for (Opcode opcode : values()) {
      BY_CODE[opcode.code] = opcode;
    }
  }

  private final int code;
  private final Transport transport;
  private final Operation operation;
  private final Position position;
  private final List<Header> headers;
  private final int headerSet;
  private final int headerBytes;
  private final int[] headerOffsets = new int[Header.values().length];

  Opcode(int code, Transport transport, Operation operation, Position position, Header... headers) {
    this.code = code;
    this.transport = transport;
    this.operation = operation;
    this.position = position;
    this.headers = List.of(headers);
    Arrays.fill(headerOffsets, -1);
    int set = 0;
    int bytes = Bth.BYTES;
    for (Header header : headers) {
      headerOffsets[header.ordinal()] = bytes;
      set |= header.bit();
      bytes += header.bytes();
    }
    headerSet = set;
    headerBytes = bytes;
  }

  /** The opcode with this BTH code, or null when there is none that BURST knows. */
  public static Opcode of(int code) {
    return BY_CODE[code & 0xFF];
  }

  public int code() {
    return code;
  }

  public Transport transport() {
    return transport;
  }

  public Operation operation() {
    return operation;
  }

  public Position position() {
    return position;
  }

  /** The extension headers in their order on the wire. */
  public List<Header> headers() {
    return headers;
  }

  /** Bytes of the BTH and the extension headers: the payload's offset from the BTH. */
  public int headerBytes() {
    return headerBytes;
  }

  public boolean has(Header header) {
    return (headerSet & header.bit()) != 0;
  }

  /** The extension headers as a set of {@link Header#bit()}. */
  int headerSet() {
    return headerSet;
  }

  /** Offset of an extension header from the BTH. */
  int offsetOf(Header header) {
    int offset = headerOffsets[header.ordinal()];
    if (offset < 0) {
      throw new IllegalStateException(this + " has no " + header);
    }
    return offset;
  }

  /** True at the start of a message: First and Only. */
  public boolean isFirst() {
    return position == FIRST || position == ONLY;
  }

  /** True at the end of a message: Last and Only. */
  public boolean isLast() {
    return position == LAST || position == ONLY;
  }

  public boolean isRequest() {
    return operation.isRequest();
  }

  public boolean isResponse() {
    return operation.isResponse();
  }

  /** True when payload may follow the headers; it may still be empty. */
  public boolean hasPayload() {
    return switch (operation) {
      case SEND, WRITE, READ_RESPONSE, ATOMIC_WRITE -> true;
      default -> false;
    };
  }

  public boolean hasImmediate() {
    return has(IMM_DT);
  }

  public boolean hasInvalidate() {
    return has(IETH);
  }

  /** True when the responder takes a receive request for it: at the start of a SEND, at a WRITE's immediate data. */
  public boolean consumesReceive() {
    return operation == SEND ? isFirst() : hasImmediate();
  }

  /** True when it completes a receive request at the responder: the end of a SEND, a WRITE's immediate data. */
  public boolean completesReceive() {
    return operation == SEND ? isLast() : hasImmediate();
  }
}
