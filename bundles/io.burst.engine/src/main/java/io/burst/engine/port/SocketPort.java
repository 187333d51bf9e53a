package io.burst.engine.port;

import io.burst.linux.MessageBatch;
import io.burst.linux.SocketDescriptor;
import io.burst.linux.SystemCallException;
import io.burst.spi.Frame;
import io.burst.spi.PacketPort;
import java.net.InetAddress;
import java.util.List;
import java.util.function.ObjLongConsumer;

/**
 * Moves batches of frames through one socket, a call a batch, the frames' own memory being what the kernel reads and
 * writes. Owned by the worker that polls it.
 */
abstract class SocketPort implements PacketPort {

  /** Of each buffer; about two thousand packets of 4 KiB. */
  private static final int SOCKET_BUFFER_BYTES = 16 << 20;

  private static final int BATCH = 64;

  private final SocketDescriptor socket;
  private final MessageBatch incoming;
  private final MessageBatch outgoing;
  private final PortCounters counters = new PortCounters();
  private final int socketOffset;
  private final int mtuBytes;
  private final List<InetAddress> addresses;

  /**
   * @param nameBytes length of the socket address that a packet carries; 0 for none
   * @param socketOffset where in a frame's buffer the bytes begin that pass through the socket
   */
  SocketPort(SocketDescriptor socket, int nameBytes, int socketOffset, int mtuBytes, List<InetAddress> addresses) {
    this.socket = socket;
    this.socketOffset = socketOffset;
    this.mtuBytes = mtuBytes;
    this.addresses = List.copyOf(addresses);
    incoming = new MessageBatch(BATCH, nameBytes);
    outgoing = new MessageBatch(BATCH, nameBytes);
  }

  /** Buffers as large as this user may have. */
  static void enlargeBuffers(SocketDescriptor socket) throws SystemCallException {
    socket.setBuffers(SOCKET_BUFFER_BYTES);
  }

  /** Completes what the socket delivered to the IP packet that was on the wire. */
  abstract void complete(Frame frame, long nameAddress);

  /** Writes what the socket needs besides the IP packet: a link header, or a socket address. */
  abstract void prepare(Frame frame, long nameAddress);

  @Override
  public final int mtuBytes() {
    return mtuBytes;
  }

  @Override
  public final List<InetAddress> addresses() {
    return addresses;
  }

  @Override
  public final int descriptor() {
    return socket.descriptor();
  }

  @Override
  public final int receive(Frame[] frames, int limit, long nowNs) {
    int filled = 0;
    while (filled < limit) {
      int wanted = Math.min(limit - filled, BATCH);
      for (int i = 0; i < wanted; i++) {
        Frame frame = frames[filled + i];
        incoming.set(i, frame.address + socketOffset, frame.buffer.capacity() - socketOffset);
      }
      int received = incoming.receive(socket, wanted);
      if (received < 0) {
        counters.receiveFailed();
        return filled;
      }
      filled = keepWhole(frames, filled, received);
      if (received < wanted) {
        return filled;
      }
    }
    return filled;
  }

  /** Moves the frames that were received whole to the front; returns how many there are now. */
  private int keepWhole(Frame[] frames, int filled, int received) {
    int kept = filled;
    long bytes = 0;
    for (int i = 0; i < received; i++) {
      Frame frame = frames[filled + i];
      if (incoming.isTruncated(i)) {
        counters.receiveFailed();
        continue;
      }
      frame.lengthBytes = socketOffset + incoming.lengthBytes(i) - Frame.HEADROOM_BYTES;
      frame.nextHop = null;
      complete(frame, incoming.nameAddress(i));
      bytes += frame.lengthBytes;
      frames[filled + i] = frames[kept];
      frames[kept++] = frame;
    }
    counters.received(kept - filled, bytes);
    return kept;
  }

  @Override
  public final void send(Frame[] frames, int count, long nowNs) {
    for (int first = 0; first < count; first += BATCH) {
      sendBatch(frames, first, Math.min(BATCH, count - first));
    }
  }

  private void sendBatch(Frame[] frames, int first, int count) {
    for (int i = 0; i < count; i++) {
      Frame frame = frames[first + i];
      prepare(frame, outgoing.nameAddress(i));
      outgoing.set(i, frame.address + socketOffset, Frame.HEADROOM_BYTES + frame.lengthBytes - socketOffset);
    }
    int done = 0;
    while (done < count) {
      int sent = outgoing.send(socket, done, count);
      if (sent > 0) {
        counters.sent(sent, lengthBytes(frames, first + done, sent));
        done += sent;
      } else {
        counters.refused();
        done++;
      }
    }
  }

  private static long lengthBytes(Frame[] frames, int first, int count) {
    long bytes = 0;
    for (int i = first; i < first + count; i++) {
      bytes += frames[i].lengthBytes;
    }
    return bytes;
  }

  @Override
  public final void counters(ObjLongConsumer<String> sink) {
    counters.forEach(sink);
    try {
      sink.accept("port_rcv_discards", socket.drops());
    } catch (SystemCallException closed) {
      // A closed port no longer knows.
    }
  }

  @Override
  public void close() {
    if (socket.descriptor() >= 0) {
      socket.close();
      incoming.close();
      outgoing.close();
    }
  }
}
