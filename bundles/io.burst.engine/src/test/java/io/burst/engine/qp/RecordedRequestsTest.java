package io.burst.engine.qp;

import static org.assertj.core.api.Assertions.assertThat;

import io.burst.engine.wire.Aeth;
import io.burst.engine.wire.Captures;
import io.burst.engine.wire.Opcode;
import io.burst.engine.wire.RocePacket;
import io.burst.engine.wire.Verdict;
import io.burst.verbs.Completion;
import io.burst.verbs.CompletionStatus;
import io.burst.verbs.Gid;
import io.burst.verbs.PathMtu;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The responder gets the requests that soft-RoCE sent to soft-RoCE, and has to give the answers that soft-RoCE gave:
 * the same ACKs and NAKs with the same PSNs and message sequence numbers, in the same order.
 */
class RecordedRequestsTest {
  private static final int RECEIVE_BYTES = 16384;

  @ParameterizedTest
  @CsvSource({
    "rc-pingpong.pcap, 1024, 10.77.0.3, 10.77.0.2",
    "send-rc.pcap, 4096, 10.77.0.3, 10.77.0.2",
    "send-loss-client.pcap, 1024, 10.77.0.3, 10.77.0.2"
  })
  void answersAreTheOnesThatSoftRoceGave(String file, int mtu, String client, String server) {
    List<byte[]> requests = new ArrayList<>();
    List<String> recordedAnswers = new ArrayList<>();
    RocePacket packet = new RocePacket();
    int requesterNumber = 0;
    for (Captures.Recorded recorded : Captures.packets(Path.of("../../itests/captures", file))) {
      assertThat(packet.wrap(ByteBuffer.wrap(recorded.bytes()), 0, recorded.bytes().length)).isEqualTo(Verdict.OK);
      boolean fromClient = new Gid(packet.sourceHigh(), packet.sourceLow()).toString().endsWith(client);
      if (fromClient && packet.opcode().isRequest()) {
        requests.add(recorded.bytes());
      } else if (!fromClient && packet.opcode() == Opcode.RC_ACKNOWLEDGE) {
        recordedAnswers.add(describe(packet));
        requesterNumber = packet.destinationQpn();
      }
    }
    assertThat(recordedAnswers).isNotEmpty();

    assertThat(replay(requests, requesterNumber, mtu, client, server)).isEqualTo(recordedAnswers);
  }

  private static List<String> replay(
      List<byte[]> requests, int requesterNumber, int mtu, String client, String server) {
    RocePacket first = new RocePacket();
    first.wrap(ByteBuffer.wrap(requests.get(0)), 0, requests.get(0).length);
    OneQueuePair responder = new OneQueuePair(first.destinationQpn(), server, client);
    responder.connect(requesterNumber, first.psn(), 0, PathMtu.ofBytes(mtu), 14, 7, 7);
    List<String> answers = new ArrayList<>();
    for (byte[] request : requests) {
      responder.postReceive(0, 0, RECEIVE_BYTES);
      responder.receive(request, 0);
      for (RocePacket answer = responder.transmit(0); answer != null; answer = responder.transmit(0)) {
        answers.add(describe(answer));
      }
      for (Completion completion = responder.poll(); completion != null; completion = responder.poll()) {
        assertThat(completion.status).isEqualTo(CompletionStatus.SUCCESS);
      }
    }
    return answers;
  }

  /** Credits are left out: soft-RoCE and BURST don't use them. */
  private static String describe(RocePacket answer) {
    int syndrome = answer.aethSyndrome();
    String kind = Aeth.isAck(syndrome) ? "ACK" : "NAK 0x" + Integer.toHexString(syndrome);
    return kind + " psn " + answer.psn() + " msn " + answer.aethMsn();
  }
}
