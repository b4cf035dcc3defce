package io.gpumem.demo.simulation;

import io.gpumem.platform.time.Cancellable;
import io.gpumem.platform.time.Time;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * The simulation's clock and its one queue of events. Time jumps from event to event, so that no
 * wall clock matters. A task may wait: it then runs the events of that time itself, as if other
 * threads did. Not thread-safe.
 */
final class EventTime implements Time {

  /** A seed takes some thousands; more is a task that schedules itself without a delay. */
  private static final long MOST_EVENTS = 3_000_000;

  private static final long START_MILLIS = 1_796_083_200_000L;

  private record Event(long dueNanos, long order, Runnable task) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          Comparator.comparingLong(Event::dueNanos).thenComparingLong(Event::order));
  private long nowNanos;
  private long order;
  private long ran;

  @Override
  public long monotonicNanos() {
    return nowNanos;
  }

  @Override
  public long wallMillis() {
    return START_MILLIS + nowNanos / 1_000_000;
  }

  @Override
  public Cancellable schedule(Duration after, Runnable task) {
    if (after.isNegative()) {
      throw new IllegalArgumentException("expected a delay but was " + after);
    }
    Event event = new Event(nowNanos + after.toNanos(), order++, task);
    events.add(event);
    return () -> events.remove(event);
  }

  /** Runs everything that is due until then. */
  void runFor(Duration span) {
    long end = nowNanos + span.toNanos();
    while (runOne(end)) {
      // Each event may add more.
    }
  }

  /** Runs the next event that is due until then; without one the clock goes to the end. */
  boolean runOne(long endNanos) {
    Event next = events.peek();
    if (next == null || next.dueNanos > endNanos) {
      nowNanos = Math.max(nowNanos, endNanos);
      return false;
    }
    if (++ran > MOST_EVENTS) {
      throw new IllegalStateException("expected the simulation to come to rest");
    }
    Event taken = events.remove();
    nowNanos = Math.max(nowNanos, taken.dueNanos);
    taken.task.run();
    return true;
  }

  long events() {
    return ran;
  }
}
