package io.burst.tools;

import io.burst.verbs.AccessFlag;
import io.burst.verbs.AddressVector;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionQueue;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.Device;
import io.burst.verbs.MemoryRegion;
import io.burst.verbs.PathMtu;
import io.burst.verbs.ProtectionDomain;
import io.burst.verbs.QueuePair;
import io.burst.verbs.QueuePairInit;
import io.burst.verbs.QueuePairType;
import io.burst.verbs.ReadyToReceive;
import io.burst.verbs.ReadyToSend;
import io.burst.verbs.ReceiveRequest;
import io.burst.verbs.SendRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;

/**
 * Behaves as ibv_rc_pingpong -c does on the wire: it sends from the memory that it receives in, and counts wrong pages
 * at the end of a server's run.
 */
final class OriginalPeer {

  private static final byte FILL = 0x7b;
  private static final int PAGE_BYTES = 4096;

  private final int sizeBytes;
  private final int iterations;
  private final boolean check;

  OriginalPeer(int sizeBytes, int iterations, boolean check) {
    this.sizeBytes = sizeBytes;
    this.iterations = iterations;
    this.check = check;
  }

  /** @return how many pages of the last message are wrong; 0 for a client, which doesn't look */
  int run(Device device, Socket socket, boolean server) throws IOException {
    ByteBuffer memory = ByteBuffer.allocate(sizeBytes);
    Arrays.fill(memory.array(), FILL);
    if (!server && check) {
      for (int i = 0; i < sizeBytes; i += PAGE_BYTES) {
        memory.put(i, (byte) 0);
      }
    }
    try (ProtectionDomain domain = device.allocateProtectionDomain();
        MemoryRegion region = domain.registerMemory(memory, Set.of(AccessFlag.LOCAL_WRITE));
        CompletionQueue completions = device.createCompletionQueue(11);
        QueuePair queuePair = domain.createQueuePair(
            new QueuePairInit(QueuePairType.RELIABLE_CONNECTION, completions, completions, 1, 10))) {
      queuePair.initialize(Set.of());
      exchange(device, queuePair, region, socket, server);
      play(queuePair, completions, region, server);
    }
    return server && check ? wrongPages(memory) : 0;
  }

  private int wrongPages(ByteBuffer memory) {
    int wrong = 0;
    for (int i = 0; i < sizeBytes; i += PAGE_BYTES) {
      wrong += memory.get(i) == 0 ? 0 : 1;
    }
    return wrong;
  }

  private void exchange(Device device, QueuePair queuePair, MemoryRegion region, Socket socket, boolean server)
      throws IOException {
    for (int i = 0; i < 10; i++) {
      queuePair.postReceive(receive(region));
    }
    String ours = new PeerAddress(0, queuePair.number(), 0xabcdef, device.gids().get(0)).text() + "\0";
    byte[] bytes = ours.getBytes(StandardCharsets.US_ASCII);
    InputStream in = socket.getInputStream();
    if (server) {
      connect(queuePair, new String(in.readNBytes(52), 0, 51, StandardCharsets.US_ASCII));
      socket.getOutputStream().write(bytes);
      if (!new String(in.readNBytes(5), StandardCharsets.US_ASCII).equals("done\0")) {
        throw new IOException("Couldn't send/recv local address");
      }
    } else {
      socket.getOutputStream().write(bytes);
      String theirs = new String(in.readNBytes(52), 0, 51, StandardCharsets.US_ASCII);
      socket.getOutputStream().write("done\0".getBytes(StandardCharsets.US_ASCII));
      connect(queuePair, theirs);
    }
    socket.close();
  }

  private static void connect(QueuePair queuePair, String text) {
    PeerAddress theirs = PeerAddress.parse(text);
    queuePair.readyToReceive(new ReadyToReceive(theirs.queuePairNumber(), theirs.psn(), PathMtu.MTU_1024,
        new AddressVector(theirs.gid(), 0, 0), 0, 12));
    queuePair.readyToSend(new ReadyToSend(0xabcdef, 14, 7, 7, 0));
  }

  private void play(QueuePair queuePair, CompletionQueue completions, MemoryRegion region, boolean server)
      throws IOException {
    Completion completion = new Completion();
    int sent = 0;
    int received = 0;
    boolean sending = !server;
    boolean receiving = true;
    if (!server) {
      queuePair.postSend(send(region));
    }
    while (sent < iterations || received < iterations) {
      if (!completions.poll(completion)) {
        if (Thread.interrupted()) {
          throw new IOException("interrupted");
        }
        Thread.onSpinWait();
        continue;
      }
      if (completion.status != CompletionStatus.SUCCESS) {
        throw new IOException("Failed status " + completion.status);
      }
      if (completion.workRequestId == 2) {
        sent++;
        sending = false;
      } else {
        received++;
        receiving = false;
        queuePair.postReceive(receive(region));
      }
      if (sent < iterations && !sending && !receiving) {
        queuePair.postSend(send(region));
        sending = true;
        receiving = true;
      }
    }
  }

  private SendRequest send(MemoryRegion region) {
    SendRequest request = new SendRequest();
    request.workRequestId = 2;
    request.buffers.add(region.address(), sizeBytes, region.localKey());
    return request;
  }

  private ReceiveRequest receive(MemoryRegion region) {
    ReceiveRequest request = new ReceiveRequest();
    request.workRequestId = 1;
    request.buffers.add(region.address(), sizeBytes, region.localKey());
    return request;
  }
}
