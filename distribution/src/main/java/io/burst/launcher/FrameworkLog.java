package io.burst.launcher;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.apache.felix.framework.Logger;

/**
 * Keeps off the terminal what doesn't go through SLF4J, the framework's own messages and java.util.logging: appends it
 * to the container's log. Safe for use by any thread; opens the file for each message, since they are rare and the file
 * is rolled.
 */
final class FrameworkLog extends Logger {

  private final Path file;

  FrameworkLog(Path file) {
    this.file = file;
  }

  /** Takes java.util.logging's warnings and errors from the console. */
  void adoptJavaLogging() {
    LogManager.getLogManager().reset();
    java.util.logging.Logger root = LogManager.getLogManager().getLogger("");
    root.setLevel(Level.WARNING);
    root.addHandler(new JavaLogging());
  }

  @Override
  protected void doLog(int level, String message, Throwable failure) {
    append(word(level), "framework", message, failure);
  }

  private void append(String level, String source, String message, Throwable failure) {
    StringWriter text = new StringWriter();
    PrintWriter writer = new PrintWriter(text);
    writer.println(OffsetDateTime.now().truncatedTo(ChronoUnit.MILLIS) + " " + level + " " + source + " - " + message);
    if (failure != null) {
      failure.printStackTrace(writer);
    }
    try {
      Files.writeString(file, text.toString(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      System.err.println("burst: can't write " + file + ": " + e.getMessage());
    }
  }

  private static String word(int level) {
    return switch (level) {
      case LOG_ERROR -> "ERROR";
      case LOG_WARNING -> "WARN ";
      default -> "INFO ";
    };
  }

  /** The handler behind java.util.logging; any thread calls it. */
  private final class JavaLogging extends Handler {

    private final SimpleFormatter formatter = new SimpleFormatter();

    @Override
    public void publish(LogRecord entry) {
      append(entry.getLevel().getName(), entry.getLoggerName(), formatter.formatMessage(entry), entry.getThrown());
    }

    @Override
    public void flush() {
      // Nothing is kept back.
    }

    @Override
    public void close() {
      // No file is held open.
    }
  }
}
