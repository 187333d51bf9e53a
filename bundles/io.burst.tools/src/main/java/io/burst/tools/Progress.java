package io.burst.tools;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** How far a long work is: a bar that redraws itself on a terminal, a plain line a second elsewhere, or nothing. */
final class Progress {

  private static final int BAR_CHARS = 40;
  private static final long BAR_INTERVAL_NS = 100_000_000L;
  private static final long LINE_INTERVAL_NS = 1_000_000_000L;

  private final PrintStream out;
  private final boolean terminal;
  private long nextNs = System.nanoTime();
  private long lastDone = -1;
  private boolean barDrawn;

  private Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  static Progress none() {
    return new Progress(null, false);
  }

  /** @param out the program's standard output */
  static Progress on(PrintStream out) {
    return new Progress(out, isTerminal());
  }

  private static boolean isTerminal() {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
    } catch (IOException e) {
      return false;
    }
  }

  void note(String line) {
    if (out != null) {
      end();
      out.println(line);
    }
  }

  void at(long done, long all) {
    long nowNs = System.nanoTime();
    if (out == null || done == lastDone || (nowNs - nextNs < 0 && done < all)) {
      return;
    }
    lastDone = done;
    nextNs = nowNs + (terminal ? BAR_INTERVAL_NS : LINE_INTERVAL_NS);
    long percent = done * 100 / all;
    if (terminal) {
      int filled = (int) (done * BAR_CHARS / all);
      out.print("\r[" + "#".repeat(filled) + " ".repeat(BAR_CHARS - filled) + "] " + percent + " %");
      out.flush();
      barDrawn = true;
    } else {
      out.println("verified " + percent + " %");
    }
  }

  /** Leaves the bar's line. */
  void end() {
    if (barDrawn) {
      out.println();
      barDrawn = false;
    }
  }
}
