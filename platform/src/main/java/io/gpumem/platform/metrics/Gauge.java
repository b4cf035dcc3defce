package io.gpumem.platform.metrics;

/** A number that goes up and down. Safe from any thread. */
public final class Gauge {

  private final Labels labels;
  private final io.prometheus.metrics.core.metrics.Gauge gauge;

  Gauge(Labels labels, io.prometheus.metrics.core.metrics.Gauge gauge) {
    this.labels = labels;
    this.gauge = gauge;
  }

  /** Sets the value, at the label values in the order of the labels. */
  public void set(double value, String... values) {
    gauge.labelValues(labels.checked(values)).set(value);
  }

  /** Adds an amount, which may be negative. */
  public void add(double amount, String... values) {
    gauge.labelValues(labels.checked(values)).inc(amount);
  }

  /** What it stands at. */
  public double value(String... values) {
    return gauge.labelValues(labels.checked(values)).get();
  }

  /** Takes one series away, when what it spoke of is gone. */
  public void remove(String... values) {
    gauge.remove(labels.checked(values));
  }
}
