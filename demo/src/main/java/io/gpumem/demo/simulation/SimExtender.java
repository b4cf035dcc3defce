package io.gpumem.demo.simulation;

import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.wire.Keys;
import io.gpumem.extender.verdict.Bind;
import io.gpumem.extender.verdict.BindRequest;
import io.gpumem.extender.verdict.BindResult;
import io.gpumem.extender.verdict.Doubts;
import io.gpumem.extender.verdict.Filter;
import io.gpumem.extender.verdict.Filtered;
import io.gpumem.extender.verdict.PodLookup;
import io.gpumem.extender.verdict.Prioritize;
import io.gpumem.extender.view.ClusterView;
import io.gpumem.extender.view.ViewMetrics;
import io.gpumem.platform.cluster.NodeSelection;
import io.gpumem.platform.cluster.PodSelection;
import io.gpumem.platform.facts.KubeFacts;
import io.gpumem.platform.life.Faults;
import io.gpumem.platform.metrics.Metrics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One life of an extender: its real view and verdicts, called as the scheduler's HTTP calls are.
 */
final class SimExtender {

  private static final Duration BIND_TIMEOUT = Duration.ofSeconds(4);

  private final SimProcess process;
  private final SimCluster cluster;
  private final ClusterView view;
  private final Filter filter = new Filter(Policy.BINPACK);
  private final Prioritize prioritize = new Prioritize(Policy.BINPACK);
  private final Bind bind;

  SimExtender(String name, Keys keys, SimApi api, EventTime time, Dice dice, Runnable died) {
    this.process = new SimProcess(name, time, () -> ended(died));
    this.cluster = new SimCluster(api, process, dice);
    KubeFacts facts = new KubeFacts(keys, (what, why) -> {});
    this.view = ClusterView.onCallersThread(process, new ViewMetrics(new Metrics()), FAULTS);
    PodLookup.PodSource source =
        (namespace, pod, limit) -> cluster.readPod(namespace, pod, facts::pod, limit);
    this.bind =
        new Bind(view, cluster::bind, new PodLookup(source), filter, keys, process, BIND_TIMEOUT);
    cluster.watchPods(PodSelection.notEnded(), facts::pod, view::onPods);
    cluster.watchNodes(NodeSelection.labelled(keys.unitLabel()), facts::node, view::onNodes);
    new Doubts(view, source, process, Runnable::run).start();
  }

  /** What goes wrong in a simulation is a finding. */
  private static final Faults FAULTS =
      new Faults() {
        @Override
        public void fatal(String what, Throwable cause) {
          throw new IllegalStateException(what, cause);
        }

        @Override
        public void nonFatal(String what, Throwable cause) {
          throw new IllegalStateException(what, cause);
        }

        @Override
        public long nonFatalCount() {
          return 0;
        }
      };

  private void ended(Runnable died) {
    cluster.close();
    died.run();
  }

  SimProcess process() {
    return process;
  }

  SimCluster cluster() {
    return cluster;
  }

  ClusterView view() {
    return view;
  }

  boolean answers() {
    return !process.isDead() && view.isComplete();
  }

  /** Empty when nobody answers. */
  Optional<Filtered> filter(PodFacts pod, List<String> nodes) {
    return answers()
        ? Optional.of(filter.filter(view.snapshot(), pod, nodes, process.monotonicNanos()))
        : Optional.empty();
  }

  Map<String, Integer> prioritize(PodFacts pod, List<String> nodes) {
    return answers() ? prioritize.scores(view.snapshot(), pod, nodes) : Map.of();
  }

  /** Empty when nobody answers. */
  Optional<BindResult> bind(PodFacts pod, String node) {
    if (!answers()) {
      return Optional.empty();
    }
    try {
      return Optional.of(bind.bind(new BindRequest(pod.name(), pod.uid(), new NodeName(node))));
    } catch (Killed killed) {
      return Optional.empty();
    } catch (InterruptedException never) {
      throw new IllegalStateException("the only thread was interrupted", never);
    }
  }
}
