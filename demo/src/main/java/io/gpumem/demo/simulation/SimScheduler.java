package io.gpumem.demo.simulation;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.Keys;
import io.gpumem.extender.verdict.BindResult;
import io.gpumem.extender.verdict.Filtered;
import io.gpumem.platform.cluster.FeedEvent;
import io.gpumem.platform.cluster.NodeSelection;
import io.gpumem.platform.cluster.PodRef;
import io.gpumem.platform.cluster.PodSelection;
import io.gpumem.platform.facts.KubeFacts;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A scheduler: it sums up as kube-scheduler does, asks the extender if it has one, assumes, and
 * binds beside its next cycles. Without an extender it is a stock one, which knows sums only.
 */
final class SimScheduler {

  private static final Duration ROUND = Duration.ofMillis(100);
  private static final Duration LEAST_BACK_OFF = Duration.ofSeconds(1);
  private static final Duration MOST_BACK_OFF = Duration.ofSeconds(10);

  /** Lost wake-ups must not last: kube-scheduler flushes its unschedulable pods too. */
  private record Tried(int times, long notBeforeNanos) {}

  /** A node's sum, as its status tells it. */
  private record Sum(String name, long allocatable) {}

  private final String name;
  private final Keys keys;
  private final SimProcess process;
  private final SimCluster cluster;
  private final Predicate<PodFacts> mine;
  private final boolean isStock;
  private final Supplier<Optional<SimExtender>> extender;
  private final Trace trace;
  private final Dice dice;
  private final Map<PodUid, PodFacts> pods = new TreeMap<>();
  private final Map<String, Sum> nodes = new TreeMap<>();
  private final Map<PodUid, String> assumed = new HashMap<>();
  private final Map<PodUid, Tried> tried = new HashMap<>();

  /** What a scheduler stands in. */
  record Site(Keys keys, SimApi api, EventTime time, Trace trace, Dice dice) {}

  /**
   * @param mine which pods name this scheduler
   * @param extender empty for a stock scheduler; a supplier, because extenders die and come back
   */
  SimScheduler(
      String name,
      Site site,
      Predicate<PodFacts> mine,
      Optional<Supplier<Optional<SimExtender>>> extender) {
    this.name = name;
    this.keys = site.keys();
    this.process = new SimProcess(name, site.time(), () -> {});
    this.cluster = new SimCluster(site.api(), process, site.dice());
    this.mine = mine;
    this.extender = extender.orElse(Optional::empty);
    this.isStock = extender.isEmpty();
    this.trace = site.trace();
    this.dice = site.dice();
    KubeFacts facts = new KubeFacts(keys, (what, why) -> {});
    cluster.watchPods(PodSelection.notEnded(), facts::pod, this::pods);
    cluster.watchNodes(NodeSelection.all(), this::sum, this::nodes);
    process.schedule(ROUND, this::round);
  }

  private Optional<Sum> sum(Node node) {
    Quantity quantity =
        node.getStatus() == null || node.getStatus().getAllocatable() == null
            ? null
            : node.getStatus().getAllocatable().get(keys.resource());
    long units = quantity == null ? 0 : quantity.getNumericalAmount().longValue();
    return Optional.of(new Sum(node.getMetadata().getName(), units));
  }

  private void pods(FeedEvent<PodFacts> event) {
    switch (event) {
      case FeedEvent.Listed<PodFacts>(List<PodFacts> all, List<PodFacts> gone) -> {
        pods.clear();
        all.forEach(pod -> pods.put(pod.uid(), pod));
      }
      case FeedEvent.Appeared<PodFacts>(PodFacts now) -> pods.put(now.uid(), now);
      case FeedEvent.Changed<PodFacts>(PodFacts before, PodFacts now) -> pods.put(now.uid(), now);
      case FeedEvent.Gone<PodFacts>(PodFacts last) -> pods.remove(last.uid());
    }
    assumed.keySet().removeIf(uid -> !pods.containsKey(uid) || isBound(pods.get(uid)));
    tried.replaceAll((uid, was) -> woken(was));
  }

  private static boolean isBound(PodFacts pod) {
    return pod.node().isPresent();
  }

  private void nodes(FeedEvent<Sum> event) {
    switch (event) {
      case FeedEvent.Listed<Sum>(List<Sum> all, List<Sum> gone) ->
          all.forEach(sum -> nodes.put(sum.name(), sum));
      case FeedEvent.Appeared<Sum>(Sum now) -> nodes.put(now.name(), now);
      case FeedEvent.Changed<Sum>(Sum before, Sum now) -> nodes.put(now.name(), now);
      case FeedEvent.Gone<Sum>(Sum last) -> nodes.remove(last.name());
    }
    tried.replaceAll((uid, was) -> woken(was));
  }

  /** An event moves a pod to the back-off queue; its back-off still counts. */
  private Tried woken(Tried was) {
    long backOff = backOff(was.times()).toNanos();
    return new Tried(
        was.times(), Math.min(was.notBeforeNanos(), process.monotonicNanos() + backOff));
  }

  private static Duration backOff(int times) {
    long millis = LEAST_BACK_OFF.toMillis() << Math.min(Math.max(0, times - 1), 4);
    return Duration.ofMillis(Math.min(millis, MOST_BACK_OFF.toMillis()));
  }

  SimCluster cluster() {
    return cluster;
  }

  private void round() {
    process.schedule(ROUND, this::round);
    List<PodFacts> waiting =
        pods.values().stream()
            .filter(pod -> !isBound(pod) && !assumed.containsKey(pod.uid()) && mine.test(pod))
            .filter(this::isDue)
            .sorted(
                Comparator.comparingInt(PodFacts::priority)
                    .reversed()
                    .thenComparingLong(PodFacts::createdMillis)
                    .thenComparing(PodFacts::name))
            .toList();
    waiting.forEach(this::cycle);
  }

  private boolean isDue(PodFacts pod) {
    Tried was = tried.getOrDefault(pod.uid(), new Tried(0, 0));
    return process.monotonicNanos() >= was.notBeforeNanos();
  }

  private void failed(PodFacts pod, String why) {
    trace.note(name, pod.name().name() + " waits: " + why);
    int times = tried.getOrDefault(pod.uid(), new Tried(0, 0)).times() + 1;
    tried.put(pod.uid(), new Tried(times, process.monotonicNanos() + backOff(times).toNanos()));
  }

  private void cycle(PodFacts pod) {
    List<String> fitting =
        nodes.values().stream()
            .filter(node -> node.allocatable() - used(node.name()) >= pod.demand().footprint())
            .map(Sum::name)
            .toList();
    if (fitting.isEmpty()) {
      failed(pod, "Insufficient");
    } else if (isStock) {
      commit(pod, dice.of(fitting));
    } else {
      ask(pod, fitting);
    }
  }

  private void ask(PodFacts pod, List<String> fitting) {
    Optional<SimExtender> there = extender.get();
    Optional<Filtered> filtered = there.flatMap(each -> each.filter(pod, fitting));
    if (filtered.isEmpty()) {
      failed(pod, "no extender");
      return;
    }
    List<String> passed = filtered.get().passed();
    if (passed.isEmpty()) {
      failed(pod, filtered.get().reasons().toString());
      return;
    }
    Map<String, Integer> scores = there.get().prioritize(pod, passed);
    int best = passed.stream().mapToInt(node -> scores.getOrDefault(node, 0)).max().orElse(0);
    List<String> winners =
        passed.stream().filter(node -> scores.getOrDefault(node, 0) == best).toList();
    commit(pod, dice.of(winners));
  }

  private long used(String node) {
    long used = 0;
    for (PodFacts pod : pods.values()) {
      Optional<String> where =
          pod.node().map(NodeName::text).or(() -> Optional.ofNullable(assumed.get(pod.uid())));
      used += where.filter(node::equals).map(n -> pod.demand().footprint()).orElse(0L);
    }
    return used;
  }

  private void commit(PodFacts pod, String node) {
    assumed.put(pod.uid(), node);
    process.schedule(dice.millis(0, 30), () -> bind(pod, node));
  }

  private void bind(PodFacts pod, String node) {
    if (isStock) {
      PodRef ref = new PodRef(pod.name().namespace(), pod.name().name(), pod.uid().text());
      var unused = cluster.bind(ref, node, Map.of(), Duration.ofSeconds(5));
      trace.note(name, pod.name().name() + " to " + node + " by sums: " + unused);
      process.schedule(Duration.ofSeconds(3), () -> assumed.remove(pod.uid(), node));
      return;
    }
    Optional<BindResult> result = extender.get().flatMap(each -> each.bind(pod, node));
    trace.note(
        name,
        pod.name().name()
            + " to "
            + node
            + ": "
            + result.map(BindResult::outcome).orElse("no answer"));
    if (!(result.orElse(null) instanceof BindResult.Bound)) {
      assumed.remove(pod.uid());
      failed(pod, "bind failed");
    }
  }
}
