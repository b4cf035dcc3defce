package io.gpumem.platform.life;

/**
 * Where a failure goes that nobody can answer. It is no way to report what the world can do (that
 * is a value in a return type), and it never throws. Implementations: {@link ProcessFaults}, and
 * {@code RecordedFaults} in tests. Safe from any thread.
 */
public interface Faults {

  /**
   * Something that the process can't live with: it ends in a moment with {@link ExitCode#FAILED}.
   * The call returns at once, and the caller must do no more work.
   */
  void fatal(String what, Throwable cause);

  /** Something that is a bug but that the process outlives: logged and counted. */
  void nonFatal(String what, Throwable cause);

  /** How many faults of the second kind there were. */
  long nonFatalCount();
}
