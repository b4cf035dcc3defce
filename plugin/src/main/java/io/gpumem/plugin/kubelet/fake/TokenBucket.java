package io.gpumem.plugin.kubelet.fake;

import java.util.function.LongSupplier;

/** A rate limit: so many calls a second in the long run, and so many at once. Thread-safe. */
final class TokenBucket {
  private static final double NANOS_PER_SECOND = 1e9;

  private final double perSecond;
  private final double burst;
  private final LongSupplier nanoTime;
  private double tokens;
  private long refilledAt;

  TokenBucket(double perSecond, double burst, LongSupplier nanoTime) {
    this.perSecond = perSecond;
    this.burst = burst;
    this.nanoTime = nanoTime;
    this.tokens = burst;
    this.refilledAt = nanoTime.getAsLong();
  }

  /** Takes a token if there is one. */
  synchronized boolean allow() {
    long now = nanoTime.getAsLong();
    tokens = Math.min(burst, tokens + (now - refilledAt) / NANOS_PER_SECOND * perSecond);
    refilledAt = now;
    if (tokens < 1) {
      return false;
    }
    tokens -= 1;
    return true;
  }
}
