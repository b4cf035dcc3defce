package io.gpumem.platform.cluster;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Waits that double from the least to the longest, each spread over its upper half, so that many
 * clients of one server don't come back together. Used by one thread.
 */
final class BackOff {

  private final Duration least;
  private final Duration longest;
  private final RandomGenerator chance;
  private Duration next;

  BackOff(Duration least, Duration longest, RandomGenerator chance) {
    this.least = least;
    this.longest = longest;
    this.chance = chance;
    this.next = least;
  }

  Duration next() {
    Duration whole = next;
    Duration doubled = whole.multipliedBy(2);
    next = doubled.compareTo(longest) < 0 ? doubled : longest;
    long half = whole.toNanos() / 2;
    return Duration.ofNanos(half + chance.nextLong(half + 1));
  }

  void reset() {
    next = least;
  }
}
