package io.burst.shell;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.log.LogEntry;
import org.osgi.service.log.LogLevel;
import org.osgi.service.log.LogListener;
import org.osgi.service.log.LogReaderService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries what the framework and Declarative Services report from the OSGi log to SLF4J, and with it to the log file.
 * Called by the log service's thread, one entry at a time.
 */
@Component(service = {}, immediate = true)
public final class LogForwarder implements LogListener {

  private final LogReaderService reader;
  private long lastSequence = -1;

  @Activate
  public LogForwarder(@Reference LogReaderService reader) {
    this.reader = reader;
    replay();
  }

  /** Entries older than this component, oldest first; those that arrive meanwhile wait for the lock. */
  private synchronized void replay() {
    reader.addLogListener(this);
    List<LogEntry> entries = new ArrayList<>(Collections.list(reader.getLog()));
    Collections.reverse(entries);
    entries.forEach(this::logged);
  }

  @Deactivate
  void stop() {
    reader.removeLogListener(this);
  }

  @Override
  public synchronized void logged(LogEntry entry) {
    if (entry.getSequence() <= lastSequence) {
      return;
    }
    lastSequence = entry.getSequence();
    if (isRoutineEvent(entry)) {
      return;
    }
    Logger log = LoggerFactory.getLogger(entry.getBundle().getSymbolicName());
    switch (entry.getLogLevel()) {
      case AUDIT, ERROR -> log.error(entry.getMessage(), entry.getException());
      case WARN -> log.warn(entry.getMessage(), entry.getException());
      case INFO -> log.info(entry.getMessage(), entry.getException());
      case DEBUG, TRACE -> log.debug(entry.getMessage(), entry.getException());
    }
  }

  /** The log service turns each event of the framework (a bundle started, a service registered) into an entry. */
  private static boolean isRoutineEvent(LogEntry entry) {
    return entry.getLoggerName().startsWith("Events.") && entry.getLogLevel().compareTo(LogLevel.INFO) >= 0;
  }
}
