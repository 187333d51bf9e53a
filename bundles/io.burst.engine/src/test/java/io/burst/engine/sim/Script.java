package io.burst.engine.sim;

import io.burst.verbs.CompletionOpcode;
import io.burst.verbs.SendOpcode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What one end asks of the other in one run, drawn from a seed, and what must come of it: the plain model that the
 * transport is held against. It knows requests, bytes and their order, and nothing of packets.
 *
 * <p>The target memory has three parts. One is read, and written with a fence only, since a READ that is answered again
 * would see what an unfenced WRITE behind it has written. One is written without fences. One holds words for atomics.
 */
final class Script {
  private static final int AREA_BYTES = 32 * 1024;
  private static final int WORDS = 8;
  private static final int TARGET_BYTES = 2 * AREA_BYTES + WORDS * Long.BYTES;
  private static final SendOpcode[] OPCODES = {
    SendOpcode.SEND,
    SendOpcode.SEND_WITH_IMMEDIATE,
    SendOpcode.WRITE,
    SendOpcode.WRITE_WITH_IMMEDIATE,
    SendOpcode.READ,
    SendOpcode.COMPARE_SWAP,
    SendOpcode.FETCH_ADD,
    SendOpcode.ATOMIC_WRITE
  };

  /**
   * One request.
   *
   * @param payload what a SEND, WRITE or ATOMIC_WRITE carries, else null
   * @param result what a READ or atomic must bring, else null
   */
  record Request(
      SendOpcode opcode,
      byte[] payload,
      byte[] result,
      int targetOffset,
      boolean signaled,
      boolean fenced,
      int immediate,
      long swapOrAdd,
      long compare) {

    int lengthBytes() {
      return payload != null ? payload.length : result.length;
    }
  }

  /**
   * One receive and what it must take.
   *
   * @param message null when a WRITE with immediate takes it
   */
  record Receive(
      CompletionOpcode opcode, byte[] message, int lengthBytes, boolean hasImmediate, int immediate, int roomBytes) {}

  private final List<Request> requests = new ArrayList<>();
  private final List<Receive> receives = new ArrayList<>();
  private final byte[] before = new byte[TARGET_BYTES];
  private final ByteBuffer target;

  Script(SplittableRandom random, int count, int longestBytes) {
    random.nextBytes(before);
    target = ByteBuffer.wrap(before.clone()).order(ByteOrder.nativeOrder());
    for (int i = 0; i < count; i++) {
      add(random, OPCODES[random.nextInt(OPCODES.length)], longestBytes);
    }
  }

  List<Request> requests() {
    return requests;
  }

  List<Receive> receives() {
    return receives;
  }

  byte[] targetBefore() {
    return before;
  }

  byte[] targetAfter() {
    return target.array();
  }

  private void add(SplittableRandom random, SendOpcode opcode, int longestBytes) {
    boolean signaled = random.nextInt(3) > 0;
    boolean fenced = random.nextInt(4) == 0;
    int immediate = random.nextInt();
    switch (opcode) {
      case SEND, SEND_WITH_IMMEDIATE -> {
        byte[] payload = bytes(random, length(random, longestBytes));
        requests.add(new Request(opcode, payload, null, 0, signaled, fenced, immediate, 0, 0));
        receives.add(
            new Receive(
                CompletionOpcode.RECEIVE,
                payload,
                payload.length,
                opcode.hasImmediate(),
                immediate,
                payload.length + random.nextInt(32)));
      }
      case WRITE, WRITE_WITH_IMMEDIATE -> {
        int area = fenced ? 0 : AREA_BYTES;
        byte[] payload = bytes(random, length(random, longestBytes));
        int offset = area + random.nextInt(AREA_BYTES - payload.length + 1);
        target.put(offset, payload);
        requests.add(new Request(opcode, payload, null, offset, signaled, fenced, immediate, 0, 0));
        if (opcode.hasImmediate()) {
          receives.add(
              new Receive(
                  CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE, null, payload.length, true, immediate, 0));
        }
      }
      case READ -> {
        byte[] result = new byte[length(random, longestBytes)];
        int offset = random.nextInt(AREA_BYTES - result.length + 1);
        target.get(offset, result);
        requests.add(new Request(opcode, null, result, offset, signaled, fenced, 0, 0, 0));
      }
      case COMPARE_SWAP, FETCH_ADD -> addAtomic(random, opcode, signaled, fenced);
      case ATOMIC_WRITE -> {
        byte[] payload = bytes(random, Long.BYTES);
        int offset = word(random);
        target.put(offset, payload);
        requests.add(new Request(opcode, payload, null, offset, signaled, fenced, 0, 0, 0));
      }
      default -> throw new AssertionError(opcode);
    }
  }

  /** Half of the compares hit. */
  private void addAtomic(SplittableRandom random, SendOpcode opcode, boolean signaled, boolean fenced) {
    int offset = word(random);
    long original = target.getLong(offset);
    long operand = random.nextLong();
    long compare = random.nextBoolean() ? original : random.nextLong();
    if (opcode == SendOpcode.FETCH_ADD) {
      target.putLong(offset, original + operand);
    } else if (original == compare) {
      target.putLong(offset, operand);
    }
    byte[] result = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(original).array();
    requests.add(new Request(opcode, null, result, offset, signaled, fenced, 0, operand, compare));
  }

  private static int word(SplittableRandom random) {
    return 2 * AREA_BYTES + random.nextInt(WORDS) * Long.BYTES;
  }

  private static byte[] bytes(SplittableRandom random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Often around the path MTUs, where segmentation has its corners. */
  private static int length(SplittableRandom random, int longestBytes) {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextInt(8);
      case 1 -> Math.max(0, (256 << random.nextInt(5)) * (1 + random.nextInt(3)) + random.nextInt(-1, 2));
      default -> random.nextInt(longestBytes);
    };
  }
}
