package io.burst.itests;

import java.nio.file.Path;

/** Where the distribution under test lies. */
final class Distribution {

  static final Path FOLDER = Path.of(System.getProperty("burst.distribution")).normalize();
  static final Path BUNDLES = FOLDER.resolve("bundles");
  static final Path PROGRAM = FOLDER.resolve("bin/burst");

  /** Packets that other implementations sent. */
  static final Path CAPTURES = Path.of(System.getProperty("burst.captures"));

  /** A folder for what tests leave behind for inspection. */
  static final Path SCRATCH = Path.of(System.getProperty("burst.scratch"));

  private Distribution() {}
}
