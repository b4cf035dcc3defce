package io.gpumem.platform.time;

import io.gpumem.platform.life.Faults;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The machine's clock, with one daemon thread that runs the tasks. What a task throws goes to
 * {@link Faults#nonFatal} and the next tasks still run.
 */
public final class SystemTime implements Time, AutoCloseable {

  /**
   * The most tasks that may wait. A real process has a few for each request in progress; more than
   * this means that somebody schedules in a loop, and that is a bug that should show.
   */
  private static final int MOST_TASKS = 65_536;

  private final Faults faults;
  private final ScheduledThreadPoolExecutor executor;

  public SystemTime(Faults faults) {
    this.faults = faults;
    this.executor =
        new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("time").factory());
    // Most deadlines are cancelled; kept until due they would hold their requests' memory.
    executor.setRemoveOnCancelPolicy(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public long monotonicNanos() {
    return System.nanoTime();
  }

  @Override
  public long wallMillis() {
    return System.currentTimeMillis();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException when more tasks wait than any good use needs
   * @throws java.util.concurrent.RejectedExecutionException after {@link #close}
   */
  @Override
  public Cancellable schedule(Duration after, Runnable task) {
    if (after.isNegative()) {
      throw new IllegalArgumentException("expected a delay but was " + after);
    }
    if (executor.getQueue().size() >= MOST_TASKS) {
      throw new IllegalStateException("expected at most " + MOST_TASKS + " waiting tasks");
    }
    var future = executor.schedule(() -> run(task), after.toNanos(), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  /** Drops the tasks that wait; one that runs is not interrupted. */
  @Override
  public void close() {
    executor.shutdown();
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable thrown) {
      faults.nonFatal("a timed task failed", thrown);
    }
  }
}
