package io.gpumem.platform.cluster;

import java.time.Duration;

/**
 * One list-and-watch in progress. It goes on until it is closed, however long the server is away.
 */
public interface Feed extends AutoCloseable {

  /** Whether a whole list has been given to the listener, ever. */
  boolean synced();

  /** Waits until {@link #synced()}, at most this long; says whether it is. */
  boolean awaitSynced(Duration deadline) throws InterruptedException;

  /**
   * How long the feed has been without a watch, zero while it has one. A health check fails when
   * this exceeds its limit: what the listener knows is then that old. A watch on which nothing at
   * all was heard for the settings' {@code silence} is taken for dead and opened again.
   */
  Duration blindFor();

  /** Asks for a fresh, consistent list, begun after this call; it arrives as a {@code Listed}. */
  void relist();

  /** What happened so far, for metrics. */
  FeedCounts counts();

  /**
   * Ends the feed and waits up to five seconds for a call of the listener in progress; none begins
   * after that. A listener may close its own feed.
   */
  @Override
  void close();
}
