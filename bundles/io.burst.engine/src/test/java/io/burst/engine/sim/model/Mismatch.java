package io.burst.engine.sim.model;

/** The transport did what the model doesn't allow. */
public final class Mismatch extends AssertionError {
  private static final long serialVersionUID = 1;

  public Mismatch(String what) {
    super(what);
  }

  /** Throws unless it is as it must be; the arguments are put into the text only then. */
  public static void unless(boolean asItMustBe, String what, Object... arguments) {
    if (!asItMustBe) {
      throw new Mismatch(String.format(what, arguments));
    }
  }
}
