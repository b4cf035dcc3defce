package io.gpumem.extender;

import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.NodeName;
import io.gpumem.extender.view.ClusterSnapshot;
import io.gpumem.extender.view.ClusterView;
import io.gpumem.extender.view.NodeView;
import io.gpumem.extender.view.ViewMetrics;
import io.gpumem.platform.cluster.FeedEvent;
import io.gpumem.platform.life.fake.RecordedFaults;
import io.gpumem.platform.metrics.Metrics;
import io.gpumem.platform.time.fake.ManualTime;
import java.time.Duration;
import java.util.List;

/** A view that works, fed by hand; each step is in the snapshot when it returns. */
public final class RunningView implements AutoCloseable {

  public static final Duration DEADLINE = Duration.ofSeconds(20);

  public final ManualTime time = new ManualTime();
  public final Metrics metrics = new Metrics();
  public final ClusterView view;
  private final RecordedFaults faults = new RecordedFaults();

  public RunningView() {
    view = new ClusterView(time, new ViewMetrics(metrics), faults);
    view.start();
  }

  public static RunningView of(List<NodeFacts> nodes, List<PodFacts> pods) {
    var running = new RunningView();
    running.listNodes(nodes.toArray(NodeFacts[]::new));
    running.listPods(pods.toArray(PodFacts[]::new));
    return running;
  }

  public void listNodes(NodeFacts... nodes) {
    view.onNodes(new FeedEvent.Listed<>(List.of(nodes), List.of()));
    settle();
  }

  public void listPods(PodFacts... pods) {
    view.onPods(new FeedEvent.Listed<>(List.of(pods), List.of()));
    settle();
  }

  public void see(PodFacts pod) {
    view.onPods(new FeedEvent.Appeared<>(pod));
    settle();
  }

  public void see(NodeFacts node) {
    view.onNodes(new FeedEvent.Appeared<>(node));
    settle();
  }

  public void miss(PodFacts pod) {
    view.onPods(new FeedEvent.Gone<>(pod));
    settle();
  }

  public void miss(NodeFacts node) {
    view.onNodes(new FeedEvent.Gone<>(node));
    settle();
  }

  public void settle() {
    try {
      if (!view.settleDown(DEADLINE)) {
        throw new AssertionError("the view did not settle in " + DEADLINE);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  public ClusterSnapshot snapshot() {
    return view.snapshot();
  }

  public NodeView node(String name) {
    return snapshot().node(new NodeName(name)).orElseThrow();
  }

  public long used(String node, int index) {
    return node(node).ledger().used(Given.gpu(node, index));
  }

  @Override
  public void close() {
    try {
      view.stop();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      faults.close();
    }
  }
}
