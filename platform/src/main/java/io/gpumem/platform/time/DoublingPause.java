package io.gpumem.platform.time;

import java.time.Duration;

/**
 * Pauses between tries of one thing: each is twice the one before, up to a longest. For one client
 * of its own server; many clients of one server need theirs spread. Used by one thread.
 */
public final class DoublingPause {

  private final Duration first;
  private final Duration longest;
  private Duration next;

  /**
   * @throws IllegalArgumentException when the first is not above zero, or longer than the longest
   */
  public DoublingPause(Duration first, Duration longest) {
    if (!first.isPositive() || first.compareTo(longest) > 0) {
      throw new IllegalArgumentException(
          "expected a first pause up to " + longest + " but was " + first);
    }
    this.first = first;
    this.longest = longest;
    this.next = first;
  }

  /** How long to pause now. */
  public Duration next() {
    Duration now = next;
    Duration twice = now.multipliedBy(2);
    next = twice.compareTo(longest) < 0 ? twice : longest;
    return now;
  }

  /** Begins again with the first, as after a success. */
  public void reset() {
    next = first;
  }
}
