package io.burst.spi;

import java.nio.ByteBuffer;

/**
 * One packet's buffer between the transport and a port. The IP packet starts {@link #HEADROOM_BYTES} into it, so that a
 * port can put its link header before. Owned by whoever holds it; never shared between threads.
 */
public final class Frame {

  /** Room for an Ethernet header with two VLAN tags, rounded up so that the IP header is 8-byte aligned. */
  public static final int HEADROOM_BYTES = 32;

  /** Direct, big-endian, position 0 and limit at the capacity whenever it changes hands. */
  public final ByteBuffer buffer;

  /** Where the buffer lies in memory. */
  public final long address;

  /** Bytes from the IP header on. After a receive this may include what the link padded. */
  public int lengthBytes;

  /** Where a sent packet goes; null on received ones. */
  public NextHop nextHop;

  /** How many will still read the received bytes. */
  private int holds;

  public Frame(ByteBuffer buffer, long address) {
    this.buffer = buffer;
    this.address = address;
  }

  /** Keeps the received bytes as they are until {@link #release}. */
  public void hold() {
    holds++;
  }

  /** Takes one hold back; true when it was the last. */
  public boolean release() {
    return --holds == 0;
  }

  public boolean isHeld() {
    return holds > 0;
  }

  /** The largest packet, from its IP header on, that fits. */
  public int capacityBytes() {
    return buffer.capacity() - HEADROOM_BYTES;
  }
}
