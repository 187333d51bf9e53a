package io.burst.engine.decode;

import io.burst.admin.DecodeSummary;
import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;

/** One pass over one capture file, with its counts. Owned by the thread that decodes the file. */
public final class Decoding {
  private final Consumer<String> lines;
  private final CaptureRecord record = new CaptureRecord();
  private final RocePacket packet = new RocePacket();
  private final DamagedHeader damagedHeader = new DamagedHeader(packet);
  private final PacketLine line = new PacketLine();
  private long frames;
  private long firstTimeNs;
  private long packets;
  private long badIcrcs;
  private long malformed;
  private long cut;

  public Decoding(Consumer<String> lines) {
    this.lines = lines;
  }

  public DecodeSummary decode(InputStream in) throws IOException {
    CaptureReader reader = CaptureReader.open(new CaptureInput(in));
    while (reader.next(record)) {
      if (frames++ == 0) {
        firstTimeNs = record.timeNs;
      }
      decodeFrame();
    }
    if (reader.damage() != null) {
      malformed++;
      lines.accept((frames + 1) + " unreadable from here on: " + reader.damage());
    }
    return new DecodeSummary(packets, badIcrcs, malformed, cut);
  }

  private void decodeFrame() {
    int ip = LinkLayer.ipOffset(record.linkType, record.data, record.capturedBytes);
    if (ip < 0) {
      return;
    }
    Verdict verdict = packet.wrap(record.data, ip, record.capturedBytes - ip);
    if (verdict == Verdict.FOREIGN) {
      decodeForeign(ip);
      return;
    }
    beginLine();
    boolean isCut = record.capturedBytes < record.originalBytes;
    lines.accept(verdict == Verdict.MALFORMED && isCut ? describeCut(ip) : describe(verdict));
  }

  private void decodeForeign(int ip) {
    int damagedByte = damagedHeader.repair(record.data, ip, record.capturedBytes - ip);
    if (damagedByte >= 0) {
      badIcrcs++;
      beginLine();
      lines.accept(line.fields(packet).end("icrc bad, and right with byte " + damagedByte + " put back"));
    }
  }

  private void beginLine() {
    packets++;
    line.begin(frames, record.timeNs - firstTimeNs, packet);
  }

  /** The capture kept less of the frame than the link carried: is that all that is wrong? */
  private String describeCut(int ip) {
    Verdict headers = packet.wrapHeaders(record.data, ip, record.capturedBytes - ip);
    if (headers != Verdict.OK && headers != Verdict.TRUNCATED) {
      return describe(headers);
    }
    if (packet.lengthBytes() > record.originalBytes - ip) {
      return describe(Verdict.MALFORMED);
    }
    cut++;
    return (headers == Verdict.OK ? line.fields(packet) : line).end("cut, icrc not checked");
  }

  private String describe(Verdict verdict) {
    if (verdict == Verdict.OK) {
      return line.fields(packet).end("icrc ok");
    }
    if (verdict == Verdict.BAD_ICRC) {
      badIcrcs++;
      return line.fields(packet).end("icrc bad");
    }
    malformed++;
    return line.end(verdict == Verdict.UNKNOWN_OPCODE
        ? "unknown opcode 0x" + Integer.toHexString(packet.opcodeCode())
        : "malformed");
  }
}
