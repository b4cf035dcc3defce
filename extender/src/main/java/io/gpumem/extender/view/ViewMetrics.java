package io.gpumem.extender.view;

import io.gpumem.core.ledger.Discrepancy;
import io.gpumem.extender.view.Fold.Renewed;
import io.gpumem.platform.log.LogKeys;
import io.gpumem.platform.metrics.Gauge;
import io.gpumem.platform.metrics.Label;
import io.gpumem.platform.metrics.Metrics;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the view shows to people: its size, its age, and what in the world should not be. */
public final class ViewMetrics {

  private static final Logger log = LoggerFactory.getLogger(ViewMetrics.class);
  private static final double NANOS_PER_SECOND = 1e9;

  private final Gauge nodes;
  private final Gauge waiting;
  private final Gauge generation;
  private final Gauge lag;
  private final Gauge assumptions;
  private final Gauge discrepancies;
  private final Map<Discrepancy.Kind, Long> found = new EnumMap<>(Discrepancy.Kind.class);

  public ViewMetrics(Metrics metrics) {
    nodes = metrics.gauge("gpumem_extender_nodes", "Nodes from which a plugin has reported.");
    waiting = metrics.gauge("gpumem_extender_waiting_pods", "Pods of ours that have no node yet.");
    generation =
        metrics.gauge("gpumem_extender_snapshot_generation", "Snapshots made since the start.");
    lag =
        metrics.gauge(
            "gpumem_extender_snapshot_lag_seconds",
            "How long the oldest change in the newest snapshot had to wait for it.");
    assumptions =
        metrics.gauge(
            "gpumem_extender_assumptions", "Pods that count on a node before a watch shows them.");
    discrepancies =
        metrics.gauge(
            "gpumem_extender_discrepancies",
            "What the world shows at present and should not.",
            Label.of("kind", kinds()));
  }

  private static String[] kinds() {
    return Arrays.stream(Discrepancy.Kind.values()).map(ViewMetrics::label).toArray(String[]::new);
  }

  private static String label(Discrepancy.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /** Called by the view's writer alone. */
  void published(ClusterSnapshot snapshot, List<Renewed> renewed, Duration oldest) {
    nodes.set(snapshot.nodes().size());
    waiting.set(snapshot.waiting().size());
    generation.set(snapshot.generation());
    lag.set(oldest.toNanos() / NANOS_PER_SECOND);
    assumptions.set(snapshot.assumptions().size());
    for (Renewed node : renewed) {
      count(discrepancies(node.before()), discrepancies(node.after()), node);
    }
  }

  private void count(List<Discrepancy> before, List<Discrepancy> after, Renewed node) {
    if (before.equals(after)) {
      return;
    }
    before.forEach(each -> found.merge(each.kind(), -1L, Long::sum));
    after.forEach(each -> found.merge(each.kind(), 1L, Long::sum));
    found.forEach((kind, count) -> discrepancies.set(count, label(kind)));
    Set<Discrepancy> known = new HashSet<>(before);
    after.stream()
        .filter(each -> !known.contains(each))
        .forEach(
            each ->
                log.atWarn()
                    .addKeyValue(LogKeys.NODE, node.after().map(NodeView::name).orElseThrow())
                    .addKeyValue("kind", label(each.kind()))
                    .addKeyValue("subject", each.subject())
                    .log("discrepancy"));
  }

  private static List<Discrepancy> discrepancies(Optional<NodeView> node) {
    return node.map(view -> view.books().discrepancies()).orElse(List.of());
  }
}
