package io.gpumem.platform.metrics;

import java.time.Duration;

/** How often values fell into each bucket. Safe from any thread. */
public final class Histogram {

  private static final double NANOS_PER_SECOND = 1e9;

  private final Labels labels;
  private final io.prometheus.metrics.core.metrics.Histogram histogram;

  Histogram(Labels labels, io.prometheus.metrics.core.metrics.Histogram histogram) {
    this.labels = labels;
    this.histogram = histogram;
  }

  /** Counts a duration, in seconds, at the label values in the order of the labels. */
  public void observe(Duration took, String... values) {
    observe(took.toNanos() / NANOS_PER_SECOND, values);
  }

  /** Counts a value in the metric's own unit. */
  public void observe(double value, String... values) {
    histogram.labelValues(labels.checked(values)).observe(value);
  }
}
