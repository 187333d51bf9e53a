package io.burst.engine.port;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ObjLongConsumer;

/** What crossed a port, in the words of the kernel's RDMA port counters. Its worker counts, any thread reads. */
final class PortCounters {

  private final AtomicLong packetsIn = new AtomicLong();
  private final AtomicLong bytesIn = new AtomicLong();
  private final AtomicLong errorsIn = new AtomicLong();
  private final AtomicLong packetsOut = new AtomicLong();
  private final AtomicLong bytesOut = new AtomicLong();
  private final AtomicLong discardsOut = new AtomicLong();

  void received(long packets, long bytes) {
    add(packetsIn, packets);
    add(bytesIn, bytes);
  }

  /** A packet that was longer than its frame, or a failure of the socket. */
  void receiveFailed() {
    add(errorsIn, 1);
  }

  void sent(long packets, long bytes) {
    add(packetsOut, packets);
    add(bytesOut, bytes);
  }

  /** A packet that the link refused. */
  void refused() {
    add(discardsOut, 1);
  }

  void forEach(ObjLongConsumer<String> sink) {
    sink.accept("port_rcv_packets", packetsIn.getOpaque());
    sink.accept("port_rcv_bytes", bytesIn.getOpaque());
    sink.accept("port_rcv_errors", errorsIn.getOpaque());
    sink.accept("port_xmit_packets", packetsOut.getOpaque());
    sink.accept("port_xmit_bytes", bytesOut.getOpaque());
    sink.accept("port_xmit_discards", discardsOut.getOpaque());
  }

  /** One writer: no atomic update is needed, only that a reader sees whole values. */
  private static void add(AtomicLong counter, long amount) {
    counter.setOpaque(counter.getPlain() + amount);
  }
}
