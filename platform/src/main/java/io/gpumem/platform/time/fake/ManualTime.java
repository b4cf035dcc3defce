package io.gpumem.platform.time.fake;

import io.gpumem.platform.time.Cancellable;
import io.gpumem.platform.time.Time;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Time that stands still until {@link #advance}, which runs what is due on the caller's thread, in
 * the order of due times and then of scheduling. What a task throws, {@code advance} throws. Tasks
 * may schedule more tasks; those due within the same advance run in it. Safe from any thread, but
 * only one may advance.
 */
public final class ManualTime implements Time {

  /** More tasks than this in one advance is a task that schedules itself without a delay. */
  private static final int MOST_TASKS_AT_ONCE = 1_000_000;

  private record Task(long dueNanos, long order, Runnable run) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::dueNanos).thenComparingLong(Task::order));
  private final long startMillis;
  private long nanos;
  private long order;

  /** Time that starts at the beginning of 2026-12-01, UTC. */
  public ManualTime() {
    this(1_796_083_200_000L);
  }

  public ManualTime(long startMillis) {
    this.startMillis = startMillis;
  }

  @Override
  public synchronized long monotonicNanos() {
    return nanos;
  }

  @Override
  public synchronized long wallMillis() {
    return startMillis + nanos / 1_000_000;
  }

  @Override
  public synchronized Cancellable schedule(Duration after, Runnable run) {
    if (after.isNegative()) {
      throw new IllegalArgumentException("expected a delay but was " + after);
    }
    var task = new Task(Math.addExact(nanos, after.toNanos()), order++, run);
    tasks.add(task);
    return () -> cancel(task);
  }

  /** Moves the clock and runs what comes due, each task at its own due time. */
  public void advance(Duration by) {
    if (by.isNegative()) {
      throw new IllegalArgumentException("expected time to go forward but was " + by);
    }
    long end = Math.addExact(monotonicNanos(), by.toNanos());
    for (int ran = 0; ran < MOST_TASKS_AT_ONCE; ran++) {
      var task = nextUntil(end);
      if (task.isEmpty()) {
        return;
      }
      task.get().run().run();
    }
    throw new IllegalStateException("expected tasks to stop scheduling themselves without a delay");
  }

  /** How many tasks wait. */
  public synchronized int waiting() {
    return tasks.size();
  }

  /** How long until the next task is due; empty when none waits. */
  public synchronized Optional<Duration> untilNext() {
    return Optional.ofNullable(tasks.peek()).map(task -> Duration.ofNanos(task.dueNanos - nanos));
  }

  private synchronized Optional<Task> nextUntil(long end) {
    var first = tasks.peek();
    if (first == null || first.dueNanos > end) {
      nanos = end;
      return Optional.empty();
    }
    tasks.remove();
    nanos = Math.max(nanos, first.dueNanos);
    return Optional.of(first);
  }

  private synchronized boolean cancel(Task task) {
    return tasks.remove(task);
  }
}
