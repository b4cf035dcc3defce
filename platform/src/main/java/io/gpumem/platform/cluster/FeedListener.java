package io.gpumem.platform.cluster;

/**
 * Hears one feed. It is called on the feed's own thread, one event at a time, in order; while it
 * runs, the watch waits. An exception is counted and logged, and the next event comes all the same.
 */
@FunctionalInterface
public interface FeedListener<T> {
  void on(FeedEvent<T> event);
}
