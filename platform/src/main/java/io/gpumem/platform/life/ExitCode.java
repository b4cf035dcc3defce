package io.gpumem.platform.life;

/** What the exit codes mean. The JVM adds 3, for -XX:+ExitOnOutOfMemoryError. */
public final class ExitCode {

  /** A wanted end: help was asked for, or the process was told to stop. */
  public static final int OK = 0;

  /** A failure after the configuration was accepted. */
  public static final int FAILED = 1;

  /** The configuration was refused; starting again without a change won't help. */
  public static final int BAD_OPTIONS = 2;

  private ExitCode() {}
}
