package io.gpumem.plugin.kubelet.fake;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Holds Allocate calls in flight: the picks are booked, nothing is recorded yet. Closing it lets
 * them go on. Thread-safe.
 */
public final class AllocateHold implements AutoCloseable {

  /** Where a held call stops. */
  public enum Point {
    /** The plugin has not been called yet. */
    BEFORE_CALL,
    /** The plugin has answered; the kubelet has not recorded it. */
    AFTER_ANSWER
  }

  /** No test holds longer; a forgotten hold must not hang the kubelet for ever. */
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final Point point;
  private final CountDownLatch arrived = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  AllocateHold(Point point) {
    this.point = point;
  }

  /** Waits until a call is held; false if none was within the time. */
  public boolean awaitHeld(Duration limit) throws InterruptedException {
    return arrived.await(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    released.countDown();
  }

  /** Stops a call that comes past this point; false if it was never released. */
  boolean pass(Point at) {
    if (at != point) {
      return true;
    }
    arrived.countDown();
    try {
      return released.await(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      // The kubelet is being stopped: the call goes on and its result is thrown away.
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
