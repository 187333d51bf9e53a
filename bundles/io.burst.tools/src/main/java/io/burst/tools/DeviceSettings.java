package io.burst.tools;

import java.util.Dictionary;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What a program asks of its device.
 *
 * @param name the device's name, and for the packet port its network interface
 * @param port the port's kind, "packet" or "udp"
 * @param address the local address, or null for those of the interface
 * @param faults the fault port's settings by their configuration names, empty for none
 */
record DeviceSettings(String name, String port, String address, Map<String, Object> faults) {

  static final String PACKET = "packet";
  static final String UDP = "udp";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.:@-]{1,15}");
  private static final List<String> PROBABILITIES = List.of("drop", "duplicate", "reorder", "corrupt", "delay");
  private static final long MOST_DELAY_NS = 10_000_000_000L;

  DeviceSettings {
    faults = Map.copyOf(faults);
  }

  /** Checks what the flags said. */
  static DeviceSettings of(String name, String port, String address, String faults) throws CommandFailure {
    if (port.equals(UDP) && address == null) {
      throw Flags.misuse("port udp needs --address, a local address that the peer reaches");
    }
    if (port.equals(PACKET) && name == null) {
      throw Flags.misuse("port packet needs -d, the network interface to use");
    }
    String chosen = name == null ? UDP : name;
    if (!NAME.matcher(chosen).matches()) {
      throw Flags.misuse("-d " + chosen + " is not the name of an interface or a device");
    }
    return new DeviceSettings(chosen, port, address, faults(faults));
  }

  /** @param text comma-separated {@code name=value}, or null */
  static Map<String, Object> faults(String text) throws CommandFailure {
    Map<String, Object> faults = new TreeMap<>();
    if (text == null) {
      return faults;
    }
    for (String part : text.split(",", -1)) {
      int equals = part.indexOf('=');
      if (equals < 0) {
        throw Flags.misuse("--fault " + part + " is not NAME=VALUE");
      }
      String name = part.substring(0, equals);
      faults.put("fault." + name, faultValue(name, part.substring(equals + 1)));
    }
    return faults;
  }

  private static Object faultValue(String name, String text) throws CommandFailure {
    if (PROBABILITIES.contains(name)) {
      return probability(name, text);
    }
    return switch (name) {
      case "delay.ns" -> Flags.number("--fault delay.ns", text, 0, MOST_DELAY_NS);
      case "seed" -> Flags.number("--fault seed", text, Long.MIN_VALUE, Long.MAX_VALUE);
      default -> throw Flags.misuse("--fault " + name + " is none of " + String.join(", ", PROBABILITIES)
          + ", delay.ns, seed");
    };
  }

  private static double probability(String name, String text) throws CommandFailure {
    double value;
    try {
      value = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw Flags.misuse("--fault " + name + "=" + text + " is not a number");
    }
    if (!(value >= 0 && value <= 1)) {
      throw Flags.misuse("--fault " + name + "=" + text + " is not a probability, 0 to 1");
    }
    return value;
  }

  /** As the engine's configuration {@code io.burst.device~NAME} has them. */
  Dictionary<String, Object> properties() {
    Dictionary<String, Object> properties = new Hashtable<>(faults);
    properties.put("port", port);
    if (port.equals(PACKET)) {
      properties.put("interface", name);
    }
    if (address != null) {
      properties.put("address", address);
    }
    return properties;
  }
}
