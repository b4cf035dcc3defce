package io.gpumem.bench.method;

import io.gpumem.bench.world.ClusterPlan;
import io.gpumem.bench.world.PlannedPod;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.extender.verdict.Filter;
import io.gpumem.extender.verdict.Filtered;
import io.gpumem.extender.verdict.Prioritize;
import io.gpumem.extender.view.ClusterSnapshot;
import io.gpumem.extender.view.ClusterView;
import io.gpumem.extender.view.ViewMetrics;
import io.gpumem.platform.cluster.FeedEvent;
import io.gpumem.platform.life.Life;
import io.gpumem.platform.life.ProcessFaults;
import io.gpumem.platform.metrics.Metrics;
import io.gpumem.platform.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Filter and prioritize over one snapshot: no HTTP, no JSON. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class VerdictBenchmark {

  private static final Duration SETTLE_LIMIT = Duration.ofSeconds(60);

  @Param({"1000", "5000"})
  int nodes;

  @Param({"100", "100+8"})
  String units = "";

  private final Filter filter = new Filter(Policy.BINPACK);
  private final Prioritize prioritize = new Prioritize(Policy.BINPACK);
  private ClusterPlan plan = new ClusterPlan(List.of(), Map.of());
  private ClusterSnapshot snapshot = ClusterSnapshot.EMPTY;
  private PodFacts pod = PlannedPod.waiting(UID, NAME, List.of(1L));

  private static final PodUid UID = new PodUid("uid-asks");
  private static final PodName NAME = new PodName("inference", "asks");

  /** Fills a view as the watches do. */
  @Setup
  public void fill() throws Exception {
    plan = ClusterPlan.of(nodes);
    var faults = new ProcessFaults(new Life());
    try (SystemTime time = new SystemTime(faults)) {
      var view = new ClusterView(time, new ViewMetrics(new Metrics()), faults);
      view.start();
      view.onNodes(new FeedEvent.Listed<>(plan.nodeFacts(), List.of()));
      view.onPods(new FeedEvent.Listed<>(plan.podFacts(), List.of()));
      if (!view.settleDown(SETTLE_LIMIT)) {
        throw new IllegalStateException("expected a settled view");
      }
      snapshot = view.snapshot();
      view.stop();
    }
    pod =
        PlannedPod.waiting(
            UID, NAME, List.of(units.split("\\+", -1)).stream().map(Long::valueOf).toList());
  }

  @Benchmark
  public Filtered filter() {
    return filter.filter(snapshot, pod, plan.nodes(), 0);
  }

  @Benchmark
  public Map<String, Integer> prioritize() {
    return prioritize.scores(snapshot, pod, plan.nodes());
  }
}
