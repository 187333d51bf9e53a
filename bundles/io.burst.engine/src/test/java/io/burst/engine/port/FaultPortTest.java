package io.burst.engine.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burst.spi.Frame;
import io.burst.spi.NextHop;
import io.burst.spi.PacketPort;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FaultPortTest {

  private static final int PACKET_BYTES = 60;
  private static final NextHop HOP = new NextHop() {};

  private final Recorder wire = new Recorder();

  private static FaultConfig config(double drop, double duplicate, double reorder, double corrupt, double delay) {
    return new FaultConfig(drop, duplicate, reorder, corrupt, delay, 500, 7);
  }

  /** Packets that begin with their number, in batches of different sizes, one nanosecond a batch. */
  private static void send(PacketPort port, int count) {
    Frame[] frames = Frames.allocate(200, PACKET_BYTES);
    int number = 0;
    for (int batch = 1; number < count; batch++) {
      int size = Math.min(count - number, batch * 37 % frames.length + 1);
      for (int i = 0; i < size; i++) {
        Packets.fill(frames[i], packet(number++), HOP);
      }
      port.send(frames, size, batch);
      for (int i = 0; i < size; i++) {
        assertThat(Packets.bytes(frames[i])).isEqualTo(packet(number - size + i));
      }
    }
  }

  private static byte[] packet(int number) {
    byte[] packet = Packets.payload(PACKET_BYTES, number);
    packet[0] = (byte) (number >> 16);
    packet[1] = (byte) (number >> 8);
    packet[2] = (byte) number;
    return packet;
  }

  private static int number(byte[] packet) {
    return (packet[0] & 0xff) << 16 | (packet[1] & 0xff) << 8 | packet[2] & 0xff;
  }

  /** Lets all go that is still held. */
  private void drain(PacketPort port) {
    while (port.nextDeadlineNs() != Long.MAX_VALUE) {
      port.receive(new Frame[0], 0, port.nextDeadlineNs());
    }
  }

  @Test
  void withoutFaultsEveryPacketPassesOnce() {
    try (PacketPort port = new FaultPort(wire, FaultConfig.none())) {
      send(port, 1000);
      assertThat(wire.numbers()).isEqualTo(numbersBelow(1000));
    }
  }

  private static List<Integer> numbersBelow(int limit) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < limit; i++) {
      numbers.add(i);
    }
    return numbers;
  }

  @Test
  void losesWhatItCountsAsLost() {
    try (PacketPort port = new FaultPort(wire, config(.02, 0, 0, 0, 0))) {
      send(port, 10_000);
      long dropped = counter(port, "fault_dropped");
      // Five standard deviations around 200.
      assertThat(dropped).isBetween(130L, 270L);
      assertThat(wire.sent).hasSize(10_000 - (int) dropped);
      assertThat(wire.numbers()).isSorted().doesNotHaveDuplicates();
    }
  }

  @Test
  void doublesWhatItCountsAsDoubled() {
    try (PacketPort port = new FaultPort(wire, config(0, .02, 0, 0, 0))) {
      send(port, 10_000);
      long duplicated = counter(port, "fault_duplicated");
      assertThat(duplicated).isBetween(130L, 270L);
      assertThat(wire.sent).hasSize(10_000 + (int) duplicated);
      assertThat(new HashSet<>(wire.numbers())).hasSize(10_000);
    }
  }

  @Test
  void flipsOneBitOfWhatItCountsAsCorruptedWhereverItLies() {
    try (PacketPort port = new FaultPort(wire, config(0, 0, 0, 1, 0))) {
      send(port, 10_000);
      assertThat(counter(port, "fault_corrupted")).isEqualTo(10_000);
      Set<Integer> bitsHit = new HashSet<>();
      for (int i = 0; i < 10_000; i++) {
        byte[] original = packet(i);
        int flipped = 0;
        for (int bit = 0; bit < PACKET_BYTES * 8; bit++) {
          if (((wire.sent.get(i)[bit / 8] ^ original[bit / 8]) >> bit % 8 & 1) != 0) {
            bitsHit.add(bit);
            flipped++;
          }
        }
        assertThat(flipped).isEqualTo(1);
      }
      assertThat(bitsHit).hasSize(PACKET_BYTES * 8);
    }
  }

  @Test
  void reorderedPacketsAreOvertakenByOneToEight() {
    try (PacketPort port = new FaultPort(wire, config(0, 0, .02, 0, 0))) {
      send(port, 10_000);
      drain(port);
      long reordered = counter(port, "fault_reordered");
      assertThat(reordered).isBetween(130L, 270L);
      List<Integer> numbers = wire.numbers();
      assertThat(numbers).hasSize(10_000).doesNotHaveDuplicates();
      Set<Long> distances = new HashSet<>();
      long late = 0;
      int highest = -1;
      for (int i = 0; i < numbers.size(); i++) {
        int number = numbers.get(i);
        if (number < highest) {
          late++;
          distances.add(numbers.subList(0, i).stream().filter(earlier -> earlier > number).count());
        }
        highest = Math.max(highest, number);
      }
      // One that nothing followed before its time was over is not late.
      assertThat(late).isBetween(reordered - 2, reordered);
      assertThat(distances).contains(1L, 8L);
    }
  }

  @Test
  void aReorderedPacketThatNothingFollowsGoesAtItsDeadline() {
    try (PacketPort port = new FaultPort(wire, config(0, 0, 1, 0, 0))) {
      send(port, 1);
      assertThat(wire.sent).isEmpty();
      long deadlineNs = port.nextDeadlineNs();
      port.receive(new Frame[0], 0, deadlineNs - 1);
      assertThat(wire.sent).isEmpty();
      port.receive(new Frame[0], 0, deadlineNs);
      assertThat(wire.sent).containsExactly(packet(0));
      assertThat(port.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    }
  }

  @Test
  void delayedPacketsGoInOrderWhenTheirTimeHasCome() {
    try (PacketPort port = new FaultPort(wire, config(0, 0, 0, 0, 1))) {
      Frame[] frames = Frames.allocate(1, PACKET_BYTES);
      for (int i = 0; i < 3; i++) {
        Packets.fill(frames[0], packet(i), HOP);
        port.send(frames, 1, 1000 + 10 * i);
      }
      assertThat(port.nextDeadlineNs()).isEqualTo(1500);
      port.receive(frames, 1, 1515);
      assertThat(wire.numbers()).containsExactly(0, 1);
      assertThat(wire.sentAtNs).containsExactly(1515L, 1515L);
      assertThat(port.nextDeadlineNs()).isEqualTo(1520);
      Packets.fill(frames[0], packet(3), HOP);
      port.send(frames, 1, 1520);
      assertThat(wire.numbers()).containsExactly(0, 1, 2);
      assertThat(counter(port, "fault_delayed")).isEqualTo(4);
    }
  }

  @Test
  void whatItCannotKeepGoesAtOnceUncounted() {
    try (PacketPort port = new FaultPort(wire, config(0, 0, 0, 0, 1))) {
      Frame[] frames = Frames.allocate(300, PACKET_BYTES);
      for (int i = 0; i < frames.length; i++) {
        Packets.fill(frames[i], packet(i), HOP);
      }
      port.send(frames, frames.length, 0);
      long kept = counter(port, "fault_delayed");
      assertThat(wire.sent).hasSize(300 - (int) kept).isNotEmpty();
      drain(port);
      assertThat(wire.sent).hasSize(300);
      assertThat(new HashSet<>(wire.numbers())).hasSize(300);
    }
  }

  @Test
  void theSeedDecidesAndTheSumsAgree() {
    FaultConfig mixed = new FaultConfig(.05, .05, .05, .05, .05, 3, 42);
    List<byte[]> first = run(mixed);
    List<byte[]> second = run(mixed);
    assertThat(second).usingElementComparator(Arrays::compare).isEqualTo(first);
    FaultConfig otherSeed = new FaultConfig(.05, .05, .05, .05, .05, 3, 43);
    assertThat(run(otherSeed)).usingElementComparator(Arrays::compare).isNotEqualTo(first);
  }

  private List<byte[]> run(FaultConfig config) {
    Recorder recorder = new Recorder();
    try (PacketPort port = new FaultPort(recorder, config)) {
      send(port, 5000);
      drain(port);
      Map<String, Long> counters = PortReader.counters(port);
      assertThat(recorder.sent)
          .hasSize((int) (5000 - counters.get("fault_dropped") + counters.get("fault_duplicated")));
      assertThat(counters)
          .allSatisfy((name, value) -> assertThat(value).as(name).isPositive());
    }
    return recorder.sent;
  }

  @Test
  void refusesWhatIsNoProbability() {
    assertThatThrownBy(() -> config(0, 0, 0, 1.5, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("corrupt is 1.5: give a probability from 0 to 1");
    assertThatThrownBy(() -> config(Double.NaN, 0, 0, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new FaultConfig(0, 0, 0, 0, 0, -1, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  private static long counter(PacketPort port, String name) {
    return PortReader.counters(port).get(name);
  }

  /** Remembers what is sent. */
  private static final class Recorder implements PacketPort {

    final List<byte[]> sent = new ArrayList<>();
    final List<Long> sentAtNs = new ArrayList<>();

    List<Integer> numbers() {
      return sent.stream().map(FaultPortTest::number).toList();
    }

    @Override
    public void send(Frame[] frames, int count, long nowNs) {
      for (int i = 0; i < count; i++) {
        assertThat(frames[i].nextHop).isSameAs(HOP);
        sent.add(Packets.bytes(frames[i]));
        sentAtNs.add(nowNs);
      }
    }

    @Override
    public int receive(Frame[] frames, int limit, long nowNs) {
      return 0;
    }

    @Override
    public int mtuBytes() {
      return PACKET_BYTES;
    }

    @Override
    public List<InetAddress> addresses() {
      return List.of(InetAddress.getLoopbackAddress());
    }

    @Override
    public NextHop resolve(InetAddress local, InetAddress remote) {
      return HOP;
    }

    @Override
    public int descriptor() {
      return -1;
    }

    @Override
    public void close() {}
  }
}
