package io.burst.tools;

import io.burst.verbs.Completion;
import io.burst.verbs.CompletionQueue;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.MemoryRegion;
import io.burst.verbs.QueuePair;
import io.burst.verbs.ReceiveRequest;
import io.burst.verbs.SendRequest;
import java.io.PrintStream;

/**
 * The exchange of messages over a connected queue pair, in ibv_rc_pingpong's order: a message is sent when the one
 * before has completed and the peer's has arrived; receives are posted anew when one is left. Belongs to the program's
 * thread.
 */
final class PingPongRun {

  private static final long RECEIVE_ID = 1;
  private static final long SEND_ID = 2;
  private static final int MOST_MISMATCHES_PRINTED = 10;

  private final PingPongOptions options;
  private final QueuePair queuePair;
  private final CompletionQueue completions;
  private final PrintStream err;
  private final SendRequest sendRequest = new SendRequest();
  private final ReceiveRequest receiveRequest = new ReceiveRequest();
  private PingPongData data;
  private int postedReceives;
  private int sent;
  private int received;
  private int mismatches;
  private boolean sendPending;
  private boolean receivePending;

  PingPongRun(
      PingPongOptions options,
      QueuePair queuePair,
      CompletionQueue completions,
      MemoryRegion sendMemory,
      MemoryRegion receiveMemory,
      PrintStream err) {
    this.options = options;
    this.queuePair = queuePair;
    this.completions = completions;
    this.err = err;
    sendRequest.workRequestId = SEND_ID;
    sendRequest.buffers.add(sendMemory.address(), options.sizeBytes(), sendMemory.localKey());
    receiveRequest.workRequestId = RECEIVE_ID;
    receiveRequest.buffers.add(receiveMemory.address(), options.sizeBytes(), receiveMemory.localKey());
  }

  /** Before the peer hears of the queue pair, so that nothing arrives without one. */
  void postReceives() throws CommandFailure {
    while (postedReceives < options.receiveDepth()) {
      if (!queuePair.postReceive(receiveRequest)) {
        throw CommandFailure.notStarted("only " + postedReceives + " receives fit: give -r " + postedReceives);
      }
      postedReceives++;
    }
  }

  /**
   * Sends and receives all messages. The first may have arrived already.
   *
   * @return how long it took, in nanoseconds
   */
  long exchange(PingPongData messages, Patience patience) throws CommandFailure {
    data = messages;
    Completion completion = new Completion();
    long startNs = System.nanoTime();
    receivePending = true;
    if (!options.isServer()) {
      send();
    }
    while (received < options.iterations() || sent < options.iterations()) {
      if (completions.poll(completion)) {
        patience.progressed();
        completed(completion);
      } else {
        patience.idle();
      }
    }
    return System.nanoTime() - startNs;
  }

  int mismatches() {
    return mismatches;
  }

  private void send() throws CommandFailure {
    data.prepareSend(sent + 1);
    if (!queuePair.postSend(sendRequest)) {
      throw CommandFailure.notDone("the send queue is full after " + sent + " messages");
    }
    sendPending = true;
    receivePending = true;
  }

  private void completed(Completion completion) throws CommandFailure {
    if (completion.status != CompletionStatus.SUCCESS && !isAnsweredAnyway(completion)) {
      throw CommandFailure.notDone("Failed status " + completion.status + " (" + completion.status.ordinal()
          + ") for wr_id " + completion.workRequestId + " after " + received + " of " + options.iterations()
          + " iterations");
    }
    if (completion.workRequestId == SEND_ID) {
      sent++;
      sendPending = false;
    } else {
      received++;
      receivePending = false;
      verify(completion.lengthBytes);
      refill();
    }
    if (sent < options.iterations() && !sendPending && !receivePending) {
      send();
    }
  }

  /**
   * A server may end, and its queue pair with it, as soon as its own last message is acknowledged, even if its
   * acknowledgement of the client's last message was lost. That the answer to it has come proves that it arrived.
   */
  private boolean isAnsweredAnyway(Completion completion) {
    return completion.status == CompletionStatus.RETRY_EXCEEDED
        && completion.workRequestId == SEND_ID
        && !options.isServer()
        && received == options.iterations();
  }

  private void verify(int lengthBytes) {
    if (lengthBytes != options.sizeBytes()) {
      mismatch("is " + lengthBytes + " bytes long instead of " + options.sizeBytes());
    } else {
      int offset = data.mismatch(received);
      if (offset >= 0) {
        mismatch("differs at byte " + offset);
      }
    }
    data.poison();
  }

  private void mismatch(String how) {
    mismatches++;
    if (mismatches <= MOST_MISMATCHES_PRINTED) {
      err.println("message " + received + " " + how);
    }
  }

  private void refill() throws CommandFailure {
    postedReceives--;
    if (postedReceives <= 1) {
      postReceives();
    }
  }
}
