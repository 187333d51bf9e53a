package io.burst.engine.sim;

import java.util.Map;
import java.util.TreeMap;

/** What runs have exercised: how often each thing came, in groups. */
final class Histogram {
  private static final int LINE_COLUMNS = 110;

  private final Map<String, Map<String, Long>> groups = new TreeMap<>();

  void add(String group, Object label) {
    add(group, label, 1);
  }

  void add(String group, Object label, long count) {
    groups.computeIfAbsent(group, name -> new TreeMap<>()).merge(label.toString(), count, Long::sum);
  }

  long get(String group, Object label) {
    return groups.getOrDefault(group, Map.of()).getOrDefault(label.toString(), 0L);
  }

  long total(String group) {
    return groups.getOrDefault(group, Map.of()).values().stream().mapToLong(Long::longValue).sum();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    groups.forEach((group, counts) -> {
      StringBuilder line = new StringBuilder(group).append(':');
      for (Map.Entry<String, Long> count : counts.entrySet()) {
        String entry = " " + count.getKey() + " " + count.getValue();
        if (line.length() + entry.length() > LINE_COLUMNS) {
          text.append(line).append('\n');
          line = new StringBuilder("   ");
        }
        line.append(entry);
      }
      text.append(line).append('\n');
    });
    return text.toString();
  }
}
