package io.burst.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burst.admin.DeviceView;
import io.burst.admin.QueuePairView;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the device commands print. */
class DeviceCommandsTest {

  private static final QueuePairView PAIR = new QueuePairView(17, "RTS", "fe80::2", 4711, 100, 7, 3);

  private final DeviceCommands commands = new DeviceCommands();

  DeviceCommandsTest() {
    Map<String, Long> counters = new LinkedHashMap<>();
    counters.put("out_of_sequence", 12L);
    counters.put("rx_bytes", 123_456L);
    commands.views = List.of(
        new View("rocket", "no interface eth9", List.of(), List.of(), Map.of()),
        new View("a0", null, List.of("fe80::1", "::ffff:10.0.0.1"), List.of(PAIR), counters));
  }

  @Test
  void devicesAreSortedAlignedAndTellWhyOneIsDown() {
    assertThat(output(commands::devices)).isEqualTo("""
        DEVICE  STATE                    LINK_MTU  PATH_MTU  GIDS                     PORT
        a0      up                           4200      4096  fe80::1,::ffff:10.0.0.1  udp 10.0.0.1
        rocket  down: no interface eth9         0         0  -                        udp 10.0.0.1
        """);
  }

  @Test
  void queuePairsOfAllDevicesAndOfOne() {
    String expected = """
        DEVICE  QPN  STATE  REMOTE_GID  REMOTE_QPN  SEND_PSN  RECEIVE_PSN  OUTSTANDING
        a0       17  RTS    fe80::2           4711       100            7            3
        """;
    assertThat(output(commands::qps)).isEqualTo(expected);
    assertThat(output(() -> commands.qps("a0"))).isEqualTo(expected);
    assertThat(output(() -> commands.qps("rocket"))).isEqualTo(
        "DEVICE  QPN  STATE  REMOTE_GID  REMOTE_QPN  SEND_PSN  RECEIVE_PSN  OUTSTANDING\n");
  }

  @Test
  void countersKeepTheirOrder() {
    String expected = """
        DEVICE  COUNTER           VALUE
        a0      out_of_sequence      12
        a0      rx_bytes         123456
        """;
    assertThat(output(commands::counters)).isEqualTo(expected);
    assertThat(output(() -> commands.counters("a0"))).isEqualTo(expected);
  }

  @Test
  void anUnknownDeviceIsAnErrorThatNamesTheKnownOnes() {
    assertThatThrownBy(() -> commands.counters("nix")).hasMessage("no device nix; there are a0, rocket");
    commands.views = List.of();
    assertThatThrownBy(() -> commands.qps("nix")).hasMessage("no device nix; none is configured");
  }

  private static String output(Runnable command) {
    PrintStream before = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      command.run();
    } finally {
      System.setOut(before);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private record View(
      String name, String failure, List<String> gids, List<QueuePairView> queuePairs, Map<String, Long> counters)
      implements DeviceView {

    @Override
    public String port() {
      return "udp 10.0.0.1";
    }

    @Override
    public int linkMtuBytes() {
      return failure == null ? 4200 : 0;
    }

    @Override
    public int activeMtuBytes() {
      return failure == null ? 4096 : 0;
    }
  }
}
