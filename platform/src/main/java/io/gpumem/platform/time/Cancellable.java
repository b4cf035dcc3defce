package io.gpumem.platform.time;

/** A task that waits for its time. */
public interface Cancellable {

  /** Keeps the task from running; false when it ran, runs or was cancelled already. */
  boolean cancel();
}
