package io.burst.engine.decode;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;

/** Writes capture files of every kind that the reader knows, frame by frame; times are 1, 2, 3... microseconds. */
public final class CaptureBytes {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteOrder order;
  private int frames;

  public CaptureBytes(ByteOrder order) {
    this.order = order;
  }

  public byte[] bytes() {
    return out.toByteArray();
  }

  CaptureBytes pcapHeader(int magic, int linkType) {
    ByteBuffer header = buffer(24).putInt(magic).putShort((short) 2).putShort((short) 4).putLong(0);
    return put(header.putInt(65535).putInt(linkType));
  }

  CaptureBytes pcapRecord(byte[] frame, int originalBytes, int fraction) {
    return put(buffer(16).putInt(0).putInt(fraction).putInt(frame.length).putInt(originalBytes)).raw(frame);
  }

  CaptureBytes pcapRecord(byte[] frame) {
    return pcapRecord(frame, frame.length, ++frames);
  }

  public CaptureBytes section() {
    return block(0x0A0D0D0A, buffer(16).putInt(0x1A2B3C4D).putShort((short) 1).putShort((short) 0).putLong(-1));
  }

  public CaptureBytes interfaceDescription(int linkType, int snapBytes) {
    return block(1, interfaceHeader(8, linkType, snapBytes));
  }

  /** With the options that tell the length of a tick, and a comment before it. */
  public CaptureBytes interfaceDescription(int linkType, int resolution, long offsetSeconds) {
    ByteBuffer body = interfaceHeader(44, linkType, 0);
    body.putShort((short) 1).putShort((short) 5).put("hello".getBytes()).put(new byte[3]);
    body.putShort((short) 9).putShort((short) 1).put((byte) resolution).put(new byte[3]);
    return block(1, body.putShort((short) 14).putShort((short) 8).putLong(offsetSeconds).putInt(0));
  }

  CaptureBytes enhancedPacket(int number, long ticks, byte[] frame, int originalBytes) {
    ByteBuffer body = buffer(20 + padded(frame.length)).putInt(number).putInt((int) (ticks >>> 32)).putInt((int) ticks);
    return block(6, body.putInt(frame.length).putInt(originalBytes).put(frame));
  }

  public CaptureBytes enhancedPacket(byte[] frame) {
    return enhancedPacket(0, ++frames, frame, frame.length);
  }

  CaptureBytes obsoletePacket(byte[] frame) {
    ByteBuffer body = buffer(20 + padded(frame.length)).putShort((short) 0).putShort((short) 7);
    return block(2, body.putInt(0).putInt(++frames).putInt(frame.length).putInt(frame.length).put(frame));
  }

  CaptureBytes simplePacket(byte[] frame, int originalBytes) {
    return block(3, buffer(4 + padded(frame.length)).putInt(originalBytes).put(frame));
  }

  CaptureBytes block(int type, ByteBuffer body) {
    int length = 12 + body.capacity();
    return put(buffer(8).putInt(type).putInt(length)).raw(body.array()).put(buffer(4).putInt(length));
  }

  CaptureBytes raw(byte[] bytes) {
    out.writeBytes(bytes);
    return this;
  }

  ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(order);
  }

  static byte[] behind(String linkHeader, byte[] ip) {
    byte[] header = HexFormat.of().parseHex(linkHeader);
    return ByteBuffer.allocate(header.length + ip.length).put(header).put(ip).array();
  }

  private ByteBuffer interfaceHeader(int bytes, int linkType, int snapBytes) {
    return buffer(bytes).putShort((short) linkType).putShort((short) 0).putInt(snapBytes);
  }

  private CaptureBytes put(ByteBuffer buffer) {
    return raw(buffer.array());
  }

  private static int padded(int bytes) {
    return bytes + 3 & ~3;
  }
}
