package io.gpumem.demo.simulation;

import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.wire.Keys;
import io.gpumem.demo.world.PodPlan;
import io.gpumem.platform.cluster.fake.ResourceKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import tools.jackson.databind.node.ObjectNode;

/**
 * The whole system in one thread and its own time: API server, nodes with kubelet, GPUs and plugin,
 * schedulers and extenders. What differs from production is at the edges only: sockets, threads,
 * the clock and NVML. It is driven by {@link Moves} and watched by {@link Rules}.
 */
final class World {

  static final Keys KEYS = new Keys(Keys.DEFAULT_RESOURCE);

  /** Which scheduler a pod is for stands in its name. */
  static final String OWN = "p";

  static final String SECOND = "q";
  static final String STOCK = "s";

  private static final Duration RESERVATION_WAIT = Duration.ofMillis(200);

  private final EventTime time = new EventTime();
  private final Trace trace = new Trace(time);
  private final Set<Fault> faults;
  private final SimApi api;
  private final List<SimNode> nodes = new ArrayList<>();
  private final List<ExtenderSlot> extenders = new ArrayList<>();
  private final List<SimScheduler> schedulers = new ArrayList<>();

  World(long seed, Set<Fault> faults) {
    this.faults = new TreeSet<>(faults);
    Dice dice = Dice.of(seed, "world");
    this.api = new SimApi(time, dice.of("api"));
    int count = dice.between(1, 3);
    for (int i = 1; i <= count; i++) {
      String name = "n" + i;
      nodes.add(new SimNode(name, KEYS, api, time, trace, dice.of(name), RESERVATION_WAIT));
    }
    addExtender("extender", OWN, dice);
    if (faults.contains(Fault.SECOND_EXTENDER)) {
      addExtender("extender-2", SECOND, dice);
    }
    if (faults.contains(Fault.BYPASS)) {
      schedulers.add(scheduler("stock", STOCK, dice, Optional.empty()));
    }
  }

  private void addExtender(String name, String pods, Dice dice) {
    ExtenderSlot slot = new ExtenderSlot(name, KEYS, api, time, trace, dice.of(name));
    extenders.add(slot);
    schedulers.add(scheduler("sched-" + pods, pods, dice, Optional.of(slot)));
  }

  private SimScheduler scheduler(
      String name, String pods, Dice dice, Optional<ExtenderSlot> extender) {
    Predicate<PodFacts> mine = pod -> pod.name().name().startsWith(pods);
    return new SimScheduler(
        name,
        new SimScheduler.Site(KEYS, api, time, trace, dice.of(name)),
        mine,
        extender.map(slot -> slot::extender));
  }

  EventTime time() {
    return time;
  }

  Trace trace() {
    return trace;
  }

  Set<Fault> faults() {
    return faults;
  }

  SimApi api() {
    return api;
  }

  List<SimNode> nodes() {
    return nodes;
  }

  List<ExtenderSlot> extenders() {
    return extenders;
  }

  List<SimScheduler> schedulers() {
    return schedulers;
  }

  /** All pods as the API server has them. */
  List<ObjectNode> pods() {
    return api.all(ResourceKind.PODS);
  }

  static String name(ObjectNode object) {
    return object.path("metadata").path("name").asString("");
  }

  static String uid(ObjectNode object) {
    return object.path("metadata").path("uid").asString("");
  }

  static String node(ObjectNode pod) {
    return pod.path("spec").path("nodeName").asString("");
  }

  static String namespace() {
    return PodPlan.NAMESPACE;
  }

  /** Ends every fault that lasts, so that the world can come to rest. */
  void calmDown() {
    trace.note("world", "all faults end");
    api.goAway(0);
    for (SimNode node : nodes) {
      node.machine().mendAll();
      node.kubelet().disorderly(false);
      calm(node.kubelet().feed());
      node.plugin().ifPresent(World::calm);
    }
    extenders.forEach(slot -> slot.extender().ifPresent(each -> calm(each.cluster())));
    schedulers.forEach(each -> calm(each.cluster()));
  }

  private static void calm(SimPlugin plugin) {
    plugin.readsFail(false);
    plugin.process().neverKill();
    calm(plugin.cluster());
  }

  private static void calm(SimCluster cluster) {
    cluster.lossy(false);
    cluster.feeds().forEach(World::calm);
  }

  private static void calm(SimFeed<?, ?> feed) {
    feed.pace(SimFeed.Pace.PROMPT);
    feed.repeats(false);
  }
}
