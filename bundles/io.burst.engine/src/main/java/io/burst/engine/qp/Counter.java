package io.burst.engine.qp;

import java.util.Locale;

/**
 * What a device counts. Where an RNIC driver has the same counter in hw_counters it has that name; the rest are drops,
 * one counter a reason.
 */
public enum Counter {
  RCVD_PKTS,
  SENT_PKTS,
  /** Requests behind the expected PSN; answered, never executed again. */
  DUPLICATE_REQUEST,
  /** Requests ahead of the expected PSN. */
  OUT_OF_SEQUENCE,
  /** NAKs for a PSN sequence error that came from the peer. */
  PACKET_SEQ_ERR,
  /** RNR NAKs that were sent since no receive was posted. */
  OUT_OF_BUFFER,
  /** RNR NAKs that came from the peer. */
  RCVD_RNR_ERR,
  RNR_NAK_RETRY_ERR,
  LOCAL_ACK_TIMEOUT_ERR,
  /** Answers that showed that an earlier READ response or atomic's value was lost. */
  IMPLIED_NAK_SEQ_ERR,
  RETRY_EXCEEDED_ERR,
  REQ_CQE_ERROR,
  RESP_CQE_ERROR,
  RETRANSMITTED_PKTS,
  /** Packets dropped for a wrong ICRC. */
  RX_ICRC_ENCAPSULATED,
  RX_FOREIGN,
  RX_MALFORMED,
  RX_UNKNOWN_OPCODE,
  RX_UNKNOWN_QP,
  RX_WRONG_TRANSPORT,
  RX_BAD_PKEY,
  RX_BAD_QKEY,
  RX_WRONG_ADDRESS,
  RX_WRONG_STATE,
  /** Messages of unreliable services that couldn't be taken: no receive, too long, not allowed. */
  RX_DROPPED_MESSAGES,
  /** Packets that came while too many copies were under way. */
  RX_COPIES_BUSY,
  /** Answers to what isn't outstanding. */
  RX_STALE_RESPONSE;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** As shown to administrators. */
  public String label() {
    return label;
  }
}
