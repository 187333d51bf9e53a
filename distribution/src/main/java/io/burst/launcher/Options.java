package io.burst.launcher;

import java.nio.file.Path;
import java.util.List;

/**
 * The options that say which container is meant.
 *
 * @param home its home folder
 * @param name its name
 * @param rest the arguments after the options
 */
record Options(Path home, String name, List<String> rest) {

  static final String USAGE = "[--home DIR] [--name NODE]";

  private static final String DEFAULT_NAME = "burst";

  static Options parse(List<String> arguments) throws LaunchException {
    String home = System.getenv("BURST_HOME");
    String name = DEFAULT_NAME;
    int next = 0;
    while (next < arguments.size() && arguments.get(next).startsWith("--")) {
      String option = arguments.get(next);
      if (!option.equals("--home") && !option.equals("--name")) {
        throw new LaunchException("unknown option " + option + "; known are " + USAGE);
      }
      if (next + 1 == arguments.size() || arguments.get(next + 1).isBlank()) {
        throw new LaunchException("option " + option + " needs a value");
      }
      if (option.equals("--home")) {
        home = arguments.get(next + 1);
      } else {
        name = arguments.get(next + 1);
      }
      next += 2;
    }
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) {
      throw new LaunchException(
          "--name " + name + " may hold letters, digits and ._- only, the first being a letter or digit");
    }
    Path folder =
        home == null || home.isBlank() ? Path.of(System.getProperty("user.home"), ".burst", name) : Path.of(home);
    return new Options(folder.toAbsolutePath().normalize(), name, arguments.subList(next, arguments.size()));
  }
}
