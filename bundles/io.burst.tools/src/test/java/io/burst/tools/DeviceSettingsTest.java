package io.burst.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.Dictionary;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceSettingsTest {

  private static Map<String, Object> properties(DeviceSettings settings) {
    Dictionary<String, Object> properties = settings.properties();
    Map<String, Object> map = new TreeMap<>();
    Collections.list(properties.keys()).forEach(key -> map.put(key, properties.get(key)));
    return map;
  }

  @Test
  void configuresAPacketPortWithFaults() throws CommandFailure {
    DeviceSettings settings =
        DeviceSettings.of("tap0", "packet", null, "drop=0.02,duplicate=1,delay=0.5,delay.ns=50000,seed=-7");
    assertThat(properties(settings)).isEqualTo(Map.of(
        "port", "packet", "interface", "tap0", "fault.drop", 0.02, "fault.duplicate", 1.0, "fault.delay", 0.5,
        "fault.delay.ns", 50000L, "fault.seed", -7L));
  }

  @Test
  void configuresAUdpPort() throws CommandFailure {
    DeviceSettings settings = DeviceSettings.of(null, "udp", "127.0.0.2", null);
    assertThat(settings.name()).isEqualTo("udp");
    assertThat(properties(settings)).isEqualTo(Map.of("port", "udp", "address", "127.0.0.2"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "|packet|||port packet needs -d, the network interface to use",
    "|udp|||port udp needs --address, a local address that the peer reaches",
    "a/b|packet|||-d a/b is not the name of an interface or a device",
    "a)(b|packet|||-d a)(b is not the name of an interface or a device",
    "e0|packet||drop|--fault drop is not NAME=VALUE",
    "e0|packet||drop=|--fault drop= is not a number",
    "e0|packet||drop=1.1|--fault drop=1.1 is not a probability, 0 to 1",
    "e0|packet||drop=-0.1|--fault drop=-0.1 is not a probability, 0 to 1",
    "e0|packet||drop=NaN|--fault drop=NaN is not a probability, 0 to 1",
    "e0|packet||drop=0.1,|--fault  is not NAME=VALUE",
    "e0|packet||lose=0.1|--fault lose is none of drop, duplicate, reorder, corrupt, delay, delay.ns, seed",
    "e0|packet||delay.ns=-1|--fault delay.ns -1 is not within 0 to 10000000000"
  })
  void refuses(String name, String port, String address, String faults, String what) {
    assertThatThrownBy(() -> DeviceSettings.of(name, port, address, faults))
        .isInstanceOf(CommandFailure.class)
        .hasMessage(what + "; --help lists the flags");
  }
}
