package io.gpumem.extender.http;

import io.gpumem.core.placement.Refusal;
import io.gpumem.extender.verdict.BindResult;
import io.gpumem.platform.metrics.Counter;
import io.gpumem.platform.metrics.Histogram;
import io.gpumem.platform.metrics.Label;
import io.gpumem.platform.metrics.Metrics;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What the scheduler's calls are counted by. All series stand at zero from the start. */
public final class VerbMetrics {

  /** Seconds. The scheduler gives up after 5. */
  private static final List<Double> BUCKETS =
      List.of(0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0);

  private final Counter requests;
  private final Histogram latency;
  private final Counter binds;
  private final Counter refusals;

  public VerbMetrics(Metrics metrics) {
    Label verb = Label.of("verb", labels(Verb.values()));
    requests =
        metrics.counter(
            "gpumem_extender_requests_total",
            "The scheduler's requests by verb and by what came of them.",
            verb,
            Label.of("outcome", labels(Outcome.values())));
    latency =
        metrics.histogram(
            "gpumem_extender_request_seconds",
            "How long the scheduler's requests took, the network not counted.",
            BUCKETS,
            verb);
    binds =
        metrics.counter(
            "gpumem_extender_binds_total",
            "Binds by how they ended.",
            Label.of("outcome", BindResult.outcomes()));
    refusals =
        metrics.counter(
            "gpumem_extender_refusals_total",
            "Nodes refused by filter, by reason.",
            Label.of("reason", labels(Refusal.values())));
  }

  /** What the scheduler can ask. */
  enum Verb {
    FILTER,
    PRIORITIZE,
    BIND
  }

  /** What can come of a request. */
  enum Outcome {
    /** Answered. */
    OK,
    /** Answered with an error text. */
    ERROR,
    /** No JSON. */
    MALFORMED,
    /** The caches are not synced. */
    NOT_READY
  }

  private static String[] labels(Enum<?>[] values) {
    return Arrays.stream(values).map(VerbMetrics::label).toArray(String[]::new);
  }

  private static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  void answered(Verb verb, Outcome outcome, Duration took) {
    requests.increment(label(verb), label(outcome));
    latency.observe(took, label(verb));
  }

  void bound(BindResult result) {
    binds.increment(result.outcome());
  }

  void refused(Map<Refusal, Integer> reasons) {
    reasons.forEach((why, count) -> refusals.add(count, label(why)));
  }
}
