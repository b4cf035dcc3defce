package io.gpumem.plugin;

import io.gpumem.platform.time.Time;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs a task soon after it was asked for, once for all requests that come meanwhile: table, pods
 * and GPUs change in bursts. Safe for any thread; the task runs on the timer's.
 */
final class Gathered {

  private final Time time;
  private final Duration delay;
  private final Runnable task;
  private final AtomicBoolean asked = new AtomicBoolean();

  Gathered(Time time, Duration delay, Runnable task) {
    this.time = time;
    this.delay = delay;
    this.task = task;
  }

  void ask() {
    if (asked.compareAndSet(false, true)) {
      time.schedule(
          delay,
          () -> {
            asked.set(false);
            task.run();
          });
    }
  }
}
