package io.burst.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The folder that a container lives in: etc, log, run, and while it runs cache and tmp. The log is elsewhere when the
 * environment variable BURST_LOG names a file: a temporary home takes its log with it. Holds the lock that keeps a
 * second container out. Opened by the main thread, closed by the shutdown hook.
 */
final class Home {

  private static final String LOCK = "run/lock";

  private final Path folder;
  private final boolean temporary;
  private final FileChannel lock;

  private Home(Path folder, boolean temporary) throws LaunchException, IOException {
    this.folder = folder;
    this.temporary = temporary;
    refuseForeign(folder);
    Files.createDirectories(folder.resolve("run"));
    // Whoever reaches the admin socket commands the container.
    Files.setPosixFilePermissions(folder.resolve("run"), PosixFilePermissions.fromString("rwx------"));
    lock = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (lock.tryLock() == null) {
      lock.close();
      throw new LaunchException(
          "a container runs in " + folder + "; stop it, or give another home with --home DIR");
    }
    for (String part : List.of("etc", "log", "cache", "tmp")) {
      Files.createDirectories(folder.resolve(part));
    }
  }

  /** What a container closes to others or deletes at its end must be its own: the home might be /var. */
  private static void refuseForeign(Path folder) throws LaunchException {
    if (Files.isRegularFile(folder.resolve(LOCK))) {
      return;
    }
    for (String part : List.of("run", "cache", "tmp")) {
      if (Files.exists(folder.resolve(part), LinkOption.NOFOLLOW_LINKS)) {
        throw new LaunchException(
            folder + " has a " + part + " that no container made; give a folder of its own with --home DIR");
      }
    }
  }

  static Home lasting(Path folder) throws LaunchException {
    try {
      return new Home(folder, false);
    } catch (FileSystemException e) {
      throw new LaunchException(
          "can't use " + e.getFile() + " (" + reason(e) + "); give a folder that you may write with --home DIR");
    } catch (IOException e) {
      throw new LaunchException("can't use " + folder + ": " + e.getMessage());
    }
  }

  static Home temporary() throws LaunchException {
    try {
      return new Home(Files.createTempDirectory("burst-"), true);
    } catch (FileSystemException e) {
      throw new LaunchException("can't use " + e.getFile() + " (" + reason(e) + "); make room for temporary files there");
    } catch (IOException e) {
      throw new LaunchException("can't make a temporary home: " + e.getMessage());
    }
  }

  private static String reason(FileSystemException e) {
    if (e instanceof AccessDeniedException) {
      return "not permitted";
    }
    if (e instanceof NoSuchFileException) {
      return "it can't be made there";
    }
    return e.getReason() == null ? e.getClass().getSimpleName() : e.getReason();
  }

  Path folder() {
    return folder;
  }

  Path log() {
    String file = System.getenv("BURST_LOG");
    return file == null || file.isBlank() ? folder.resolve("log/burst.log") : Path.of(file).toAbsolutePath();
  }

  void close() {
    try {
      if (temporary) {
        delete(folder);
      } else {
        delete(folder.resolve("cache"));
        delete(folder.resolve("tmp"));
      }
      lock.close();
    } catch (IOException | UncheckedIOException e) {
      System.err.println("burst: " + folder + " is not cleaned up: " + e.getMessage());
    }
  }

  private static void delete(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
