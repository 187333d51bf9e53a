package io.burst.engine.wire;

/** The extension headers that may stand between the BTH and the payload, with their sizes. */
public enum Header {
  DETH(Deth.BYTES),
  RETH(Reth.BYTES),
  AETH(Aeth.BYTES),
  ATOMIC_ETH(AtomicEth.BYTES),
  ATOMIC_ACK_ETH(AtomicAckEth.BYTES),
  IMM_DT(ImmDt.BYTES),
  IETH(Ieth.BYTES),
  FETH(Feth.BYTES),
  /** The sixteen zero bytes that a congestion notification packet carries in place of headers and payload. */
  CNP_RESERVED(16);

  private final int bytes;

  Header(int bytes) {
    this.bytes = bytes;
  }

  public int bytes() {
    return bytes;
  }

  /** This header's bit in a set of headers. */
  int bit() {
    return 1 << ordinal();
  }
}
