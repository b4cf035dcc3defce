package io.gpumem.platform.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.DoubleSupplier;

/**
 * The metrics of one process. Each is made once, at start, and shows at zero from then on, so that
 * a rate over the first event is right and an alert on a metric that never moved can be written.
 * Safe from any thread.
 *
 * <p>A name that is taken, a name of the wrong form and a counter whose name doesn't end in {@code
 * _total} are bugs and throw {@link IllegalArgumentException}.
 */
public final class Metrics {

  private static final PrometheusTextFormatWriter WRITER = PrometheusTextFormatWriter.create();

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final Set<String> names = new HashSet<>();

  /** Makes a counter, whose name must end in {@code _total}. */
  public Counter counter(String name, String help, Label... labels) {
    var checked = claimCounter(name, labels);
    var counter =
        io.prometheus.metrics.core.metrics.Counter.builder()
            .name(name)
            .help(help)
            .labelNames(checked.names())
            .withoutExemplars()
            .register(registry);
    checked.known().forEach(counter::initLabelValues);
    return new Counter(checked, counter);
  }

  /** Makes a counter that is kept elsewhere and asked for at each scrape. */
  public void counter(String name, String help, DoubleSupplier count) {
    var _ = claimCounter(name);
    CounterWithCallback.builder()
        .name(name)
        .help(help)
        .callback(at -> at.call(count.getAsDouble()))
        .register(registry);
  }

  /** Makes a gauge, which stands at zero where its label values are known. */
  public Gauge gauge(String name, String help, Label... labels) {
    var checked = claim(name, labels);
    var gauge =
        io.prometheus.metrics.core.metrics.Gauge.builder()
            .name(name)
            .help(help)
            .labelNames(checked.names())
            .withoutExemplars()
            .register(registry);
    checked.known().forEach(gauge::initLabelValues);
    return new Gauge(checked, gauge);
  }

  /** Makes a gauge that is asked for at each scrape; the supplier must be quick. */
  public void gauge(String name, String help, DoubleSupplier value) {
    var _ = claim(name);
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .callback(at -> at.call(value.getAsDouble()))
        .register(registry);
  }

  /**
   * Makes a histogram.
   *
   * @param buckets the upper bounds in the metric's unit, growing; the last, infinity, is added
   */
  public Histogram histogram(String name, String help, List<Double> buckets, Label... labels) {
    var checked = claim(name, labels);
    var histogram =
        io.prometheus.metrics.core.metrics.Histogram.builder()
            .name(name)
            .help(help)
            .labelNames(checked.names())
            .classicOnly()
            .classicUpperBounds(buckets.stream().mapToDouble(Double::doubleValue).toArray())
            .withoutExemplars()
            .register(registry);
    checked.known().forEach(histogram::initLabelValues);
    return new Histogram(checked, histogram);
  }

  /** All metrics as they stand, in Prometheus' text format. */
  public Exposition exposition() {
    var out = new ByteArrayOutputStream();
    try {
      WRITER.write(out, registry.scrape(), EscapingScheme.UNDERSCORE_ESCAPING);
    } catch (IOException e) {
      throw new UncheckedIOException("expected memory to take every byte", e);
    }
    return new Exposition(WRITER.getContentType(), out.toString(UTF_8));
  }

  private Labels claimCounter(String name, Label... labels) {
    if (!name.endsWith("_total")) {
      throw new IllegalArgumentException("expected a counter name_total but was " + name);
    }
    return claim(name, labels);
  }

  private synchronized Labels claim(String name, Label... labels) {
    if (!name.matches("[a-z][a-z0-9_]*")) {
      throw new IllegalArgumentException("expected a metric's name but was " + name);
    }
    if (!names.add(name)) {
      throw new IllegalArgumentException("expected each metric once but was again " + name);
    }
    return new Labels(name, List.of(labels));
  }
}
