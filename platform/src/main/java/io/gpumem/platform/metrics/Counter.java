package io.gpumem.platform.metrics;

/** A number that only grows. Safe from any thread. */
public final class Counter {

  private final Labels labels;
  private final io.prometheus.metrics.core.metrics.Counter counter;

  Counter(Labels labels, io.prometheus.metrics.core.metrics.Counter counter) {
    this.labels = labels;
    this.counter = counter;
  }

  /** Adds one, at the label values in the order of the labels. */
  public void increment(String... values) {
    add(1, values);
  }

  /** Adds an amount that is not negative. */
  public void add(long amount, String... values) {
    counter.labelValues(labels.checked(values)).inc(amount);
  }

  /** What was counted so far. */
  public long count(String... values) {
    return counter.labelValues(labels.checked(values)).getLongValue();
  }
}
