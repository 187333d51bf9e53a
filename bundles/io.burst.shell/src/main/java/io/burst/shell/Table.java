package io.burst.shell;

import java.util.ArrayList;
import java.util.List;

/** Text in aligned columns, the numbers to the right. Used by the thread of one command. */
final class Table {

  private static final String GAP = "  ";

  private final List<List<Object>> rows = new ArrayList<>();

  Table(String... titles) {
    rows.add(List.of((Object[]) titles));
  }

  void row(Object... cells) {
    rows.add(List.of(cells));
  }

  @Override
  public String toString() {
    int[] widths = new int[rows.get(0).size()];
    for (List<Object> row : rows) {
      for (int column = 0; column < widths.length; column++) {
        widths[column] = Math.max(widths[column], row.get(column).toString().length());
      }
    }
    StringBuilder text = new StringBuilder();
    rows.forEach(row -> text.append(line(row, widths)).append('\n'));
    return text.toString();
  }

  private String line(List<Object> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      String cell = row.get(column).toString();
      String padding = " ".repeat(widths[column] - cell.length());
      line.append(column == 0 ? "" : GAP).append(isNumeric(column) ? padding + cell : cell + padding);
    }
    return line.toString().stripTrailing();
  }

  private boolean isNumeric(int column) {
    return rows.size() > 1 && rows.stream().skip(1).allMatch(row -> row.get(column) instanceof Number);
  }
}
