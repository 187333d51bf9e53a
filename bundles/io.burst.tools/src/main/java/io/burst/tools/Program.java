package io.burst.tools;

import io.burst.verbs.VerbsException;
import java.io.PrintStream;
import java.util.function.ToIntFunction;

/**
 * What the programs have in common: how they end. The launcher finds each as a {@link ToIntFunction} service with the
 * property {@code burst.program} and exits with its result; it runs on the launcher's thread.
 */
abstract class Program implements ToIntFunction<String[]> {

  private final String name;

  Program(String name) {
    this.name = name;
  }

  /** @return the exit status: 0 only when everything asked for was done and verified, else 1 */
  abstract int run(String[] arguments, PrintStream out, PrintStream err) throws CommandFailure;

  @Override
  public final int applyAsInt(String[] arguments) {
    return apply(arguments, System.out, System.err);
  }

  final int apply(String[] arguments, PrintStream out, PrintStream err) {
    try {
      return run(arguments, out, err);
    } catch (CommandFailure failure) {
      complain(out, err, failure.getMessage());
      return failure.exitStatus();
    } catch (VerbsException failure) {
      complain(out, err, failure.getMessage());
      return 1;
    }
  }

  private void complain(PrintStream out, PrintStream err, String line) {
    out.flush();
    err.println("burst " + name + ": " + line);
  }
}
