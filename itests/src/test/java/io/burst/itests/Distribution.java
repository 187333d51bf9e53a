package io.burst.itests;

import java.nio.file.Path;

/** Where the distribution under test lies. */
public final class Distribution {

  public static final Path FOLDER = Path.of(System.getProperty("burst.distribution")).normalize();
  public static final Path BUNDLES = FOLDER.resolve("bundles");
  public static final Path PROGRAM = FOLDER.resolve("bin/burst");

  /** Packets that other implementations sent. */
  public static final Path CAPTURES = Path.of(System.getProperty("burst.captures"));

  /** A folder for what tests leave behind for inspection. */
  public static final Path SCRATCH = Path.of(System.getProperty("burst.scratch"));

  private Distribution() {}
}
