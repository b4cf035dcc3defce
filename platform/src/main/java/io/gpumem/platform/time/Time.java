package io.gpumem.platform.time;

import java.time.Duration;

/**
 * The clock and the timer of whatever waits. It does not repeat tasks (a task that wants to run
 * again schedules itself), and it does not run two tasks at once. Implementations: {@code
 * ManualTime} in tests, {@link SystemTime}. Safe from any thread.
 */
public interface Time {

  /** Nanoseconds since some moment that never changes; only differences mean something. */
  long monotonicNanos();

  /** Milliseconds since 1970 in UTC; may jump when somebody sets the clock. */
  long wallMillis();

  /**
   * Runs the task once, not before the delay is over. The task must be short or hand its work to
   * another thread, since it delays all that come after it.
   *
   * @throws IllegalArgumentException when the delay is negative
   */
  Cancellable schedule(Duration after, Runnable task);
}
