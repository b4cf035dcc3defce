package io.gpumem.platform.time;

import java.time.Duration;

/**
 * A task that is done round after round: after the pause that its last round asked for, or a moment
 * after it was nudged. Nobody waits for it. Implementations: {@link ThreadLoop} in a process,
 * {@code TimerLoop} where one thread plays all.
 */
public interface Loop extends AutoCloseable {

  /** One round of a task; it does not overlap with itself. */
  @FunctionalInterface
  interface Round {
    /**
     * @return when the next round is due
     * @throws InterruptedException when the loop is being closed
     */
    Pause run() throws InterruptedException;
  }

  /**
   * How long until the next round.
   *
   * @param sooner whether a nudge shortens it; a pause after a failure is not to be shortened
   */
  record Pause(Duration length, boolean sooner) {

    /** Until then, or a nudge. */
    public static Pause atMost(Duration length) {
      return new Pause(length, true);
    }

    /** Until then, nudged or not; a nudge meanwhile is not lost. */
    public static Pause exactly(Duration length) {
      return new Pause(length, false);
    }
  }

  /** Makes loops. */
  interface Loops {
    /**
     * @param gather how long after a nudge the round begins, so that a burst costs one round
     */
    Loop of(String name, Duration gather, Round round);
  }

  /** Begins the first round at once. */
  void start();

  /** Something happened: the next round is due. Safe from any thread, never blocks. */
  void nudge();

  /** Ends the loop; waits a limited time for a round under way. */
  @Override
  void close();
}
