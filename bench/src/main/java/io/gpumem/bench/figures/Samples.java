package io.gpumem.bench.figures;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * Measured times, every one of them kept: a percentile is one of the samples, by the nearest rank.
 * Immutable.
 */
public record Samples(List<Duration> sorted) {

  private static final double PERCENT = 100;
  private static final double NANOS_PER_MILLI = 1e6;

  public Samples {
    List<Duration> copy = new ArrayList<>(sorted);
    Collections.sort(copy);
    sorted = List.copyOf(copy);
  }

  public static Samples of(Collection<Duration> times) {
    return new Samples(List.copyOf(times));
  }

  public int count() {
    return sorted.size();
  }

  /**
   * The least sample that so many percent of all don't exceed.
   *
   * @throws IllegalStateException when there is no sample
   */
  public Duration percentile(double percent) {
    if (sorted.isEmpty()) {
      throw new IllegalStateException("expected samples but there is none");
    }
    int rank = (int) Math.ceil(percent / PERCENT * sorted.size());
    return sorted.get(Math.max(1, rank) - 1);
  }

  /** A percentile in milliseconds, as text with two decimals. */
  public String millis(double percent) {
    return "%.2f".formatted(percentile(percent).toNanos() / NANOS_PER_MILLI);
  }

  /** A percentile in whole milliseconds. */
  public String wholeMillis(double percent) {
    return "%.0f".formatted(percentile(percent).toNanos() / NANOS_PER_MILLI);
  }
}
