package io.gpumem.extender.http.fake;

import io.gpumem.core.wire.Keys;
import io.gpumem.extender.http.fake.ExtenderClient.ExtenderException;
import io.gpumem.platform.life.Part;
import io.gpumem.platform.log.LogKeys;
import io.gpumem.platform.time.Time;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * kube-scheduler as an extender meets it: one scheduling cycle at a time (sums, then filter, then
 * prioritize when more than one node is left, then the best, ties by chance), each Binding on its
 * own beside the next cycles, back-off and requeueing as in k8s-contract D.3 to D.6.
 *
 * <p>What it does not do: preemption, affinity, taints but for nodes that are not ready, volumes,
 * scores of its own. It lists where the real one watches.
 */
public final class StandInScheduler implements Part {

  private static final Logger log = LoggerFactory.getLogger(StandInScheduler.class);

  /** Bindings at one time; the real one has no limit, but a stand-in must not eat the machine. */
  private static final int MOST_BINDS = 64;

  private static final Duration STOP_LIMIT = Duration.ofSeconds(3);

  /**
   * How it is set up.
   *
   * @param extender the URL prefix; the verbs are appended
   * @param schedulerName pods that name another are left alone
   * @param httpTimeout for one call of the extender
   * @param leastBackOff after a first failure; it doubles
   * @param poll between two looks at the API server
   * @param seed of the ties
   */
  public record Setup(
      URI extender,
      Keys keys,
      String schedulerName,
      Duration httpTimeout,
      Duration leastBackOff,
      Duration mostBackOff,
      Duration poll,
      long seed) {

    /** As kube-scheduler by default. */
    public static Setup of(URI extender, Keys keys) {
      return new Setup(
          extender,
          keys,
          "default-scheduler",
          Duration.ofSeconds(5),
          Duration.ofSeconds(1),
          Duration.ofSeconds(10),
          Duration.ofMillis(50),
          1);
    }

    public Setup withBackOff(Duration least, Duration most) {
      return new Setup(extender, keys, schedulerName, httpTimeout, least, most, poll, seed);
    }

    public Setup withSeed(long other) {
      return new Setup(
          extender, keys, schedulerName, httpTimeout, leastBackOff, mostBackOff, poll, other);
    }
  }

  private final Setup setup;
  private final SchedulerApi api;
  private final Time time;
  private final Consumer<Attempt> listener;
  private final ExtenderClient extender;
  private final PodQueue queue;
  private final Random chance;
  private final Semaphore binds = new Semaphore(MOST_BINDS);
  private final CountDownLatch stopped = new CountDownLatch(1);

  /** Pods that count on a node until the API server shows them there, by UID. */
  private final Map<String, Assumed> assumed = new ConcurrentHashMap<>();

  private Map<String, String> versions = Map.of();
  private @Nullable Thread loop;

  private record Assumed(String node, long units) {}

  /**
   * @param listener told of every attempt, on the scheduler's threads; it must be quick
   */
  public StandInScheduler(Setup setup, SchedulerApi api, Time time, Consumer<Attempt> listener) {
    this.setup = setup;
    this.api = api;
    this.time = time;
    this.listener = listener;
    this.extender = new ExtenderClient(setup.extender(), setup.httpTimeout());
    this.queue = new PodQueue(setup.leastBackOff(), setup.mostBackOff());
    this.chance = new Random(setup.seed());
  }

  @Override
  public void start() {
    loop = Thread.ofPlatform().daemon().name("scheduler").start(this::run);
  }

  @Override
  public void stop() throws InterruptedException {
    stopped.countDown();
    if (loop != null) {
      loop.interrupt();
      boolean unused = loop.join(STOP_LIMIT);
    }
    extender.close();
  }

  private void run() {
    try {
      do {
        guardedRound();
      } while (!stopped.await(setup.poll().toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** An object that nobody can read must not end the scheduling of all others. */
  private void guardedRound() throws InterruptedException {
    try {
      round();
    } catch (RuntimeException e) {
      log.atError().setCause(e).log("scheduling round failed");
    }
  }

  private void round() throws InterruptedException {
    List<SchedulerPod> pods;
    List<JsonNode> nodes;
    try {
      // Nodes first: a pod that is bound to a node younger than this list only counts for less.
      nodes = api.nodes();
      pods = api.pods().stream().map(pod -> SchedulerPod.of(pod, setup.keys())).toList();
    } catch (IOException e) {
      log.atDebug().addKeyValue("why", e).log("the API server does not answer");
      return;
    }
    observe(pods, nodes);
    var next = queue.next(time.monotonicNanos());
    while (next.isPresent() && stopped.getCount() > 0) {
      cycle(next.get(), sums(pods, nodes));
      next = queue.next(time.monotonicNanos());
    }
  }

  private void observe(List<SchedulerPod> pods, List<JsonNode> nodes) {
    Map<String, String> seen = new HashMap<>();
    pods.forEach(pod -> seen.put("pod " + pod.uid(), version(pod.json())));
    nodes.forEach(node -> seen.put("node " + node.path("metadata").path("name"), version(node)));
    Map<String, SchedulerPod> byUid = new HashMap<>();
    pods.forEach(pod -> byUid.put(pod.uid(), pod));
    assumed.keySet().removeIf(uid -> !byUid.containsKey(uid) || !byUid.get(uid).node().isEmpty());
    queue.waits(
        pods.stream().filter(pod -> pod.isPendingFor(setup.schedulerName())).toList(),
        time.monotonicNanos());
    if (!seen.equals(versions)) {
      queue.wake();
      versions = seen;
    }
  }

  private static String version(JsonNode object) {
    return object.path("metadata").path("resourceVersion").asString("");
  }

  private NodeSums sums(List<SchedulerPod> pods, List<JsonNode> nodes) {
    var sums = new NodeSums(setup.keys(), nodes, pods);
    assumed.values().forEach(each -> sums.add(each.node(), each.units()));
    return sums;
  }

  private void cycle(SchedulerPod pod, NodeSums sums) throws InterruptedException {
    Map<String, String> reasons = new HashMap<>();
    List<String> feasible = new ArrayList<>();
    Map<String, Optional<String>> verdicts = sums.verdicts(pod);
    for (String node : sums.names()) {
      verdicts
          .getOrDefault(node, Optional.empty())
          .ifPresentOrElse(why -> reasons.put(node, why), () -> feasible.add(node));
    }
    try {
      if (pod.interested() && !feasible.isEmpty()) {
        var answer = extender.filter(pod.json(), feasible);
        feasible.retainAll(answer.passed());
        reasons.putAll(answer.reasons());
      }
      if (feasible.isEmpty()) {
        unschedulable(pod, message(sums.size(), reasons));
      } else {
        commit(pod, best(pod, feasible));
      }
    } catch (ExtenderException e) {
      failed(pod, String.valueOf(e.getMessage()));
    }
  }

  private String best(SchedulerPod pod, List<String> feasible) throws InterruptedException {
    if (feasible.size() == 1) {
      return feasible.getFirst();
    }
    Map<String, Long> scores =
        pod.interested() ? extender.prioritize(pod.json(), feasible) : Map.of();
    long highest =
        feasible.stream().mapToLong(node -> scores.getOrDefault(node, 0L)).max().orElse(0);
    List<String> winners =
        feasible.stream().filter(node -> scores.getOrDefault(node, 0L) == highest).toList();
    return winners.get(chance.nextInt(winners.size()));
  }

  /** Counts the pod on the node at once, and binds it beside the next cycles. */
  private void commit(SchedulerPod pod, String node) throws InterruptedException {
    binds.acquire();
    assumed.put(pod.uid(), new Assumed(node, pod.units()));
    Thread.ofVirtual()
        .name("bind")
        .start(
            () -> {
              try {
                bind(pod, node);
              } finally {
                binds.release();
              }
            });
  }

  private void bind(SchedulerPod pod, String node) {
    try {
      if (pod.interested()) {
        extender.bind(pod, node);
      } else {
        api.bind(pod.name().namespace(), pod.name().name(), pod.uid(), node);
      }
      listener.accept(new Attempt.Bound(pod.name(), node));
    } catch (ExtenderException | IOException e) {
      assumed.remove(pod.uid());
      failed(pod, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void unschedulable(SchedulerPod pod, String message) throws InterruptedException {
    queue.unschedulable(pod.uid(), time.monotonicNanos());
    tell(pod, "Unschedulable", message);
    listener.accept(new Attempt.Unschedulable(pod.name(), message));
  }

  private void failed(SchedulerPod pod, String why) {
    queue.failed(pod.uid(), time.monotonicNanos());
    try {
      tell(pod, "SchedulerError", why);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    listener.accept(new Attempt.Failed(pod.name(), why));
  }

  /** {@code 0/3 nodes are available: 1 Insufficient cpu, 2 another reason.} */
  static String message(int nodes, Map<String, String> reasons) {
    Map<String, Integer> counts = new TreeMap<>();
    reasons.values().forEach(why -> counts.merge(why, 1, Integer::sum));
    List<String> parts = new ArrayList<>();
    counts.forEach((why, count) -> parts.add(count + " " + why));
    String text = parts.isEmpty() ? "" : ": " + String.join(", ", parts.stream().sorted().toList());
    return "0/" + nodes + " nodes are available" + text + ".";
  }

  /** Sets the pod's condition, when it says something new: its own patch wakes the pod. */
  private void tell(SchedulerPod pod, String reason, String message) throws InterruptedException {
    JsonNode conditions = pod.json().path("status").path("conditions");
    ObjectNode condition =
        JsonNodeFactory.instance
            .objectNode()
            .put("type", "PodScheduled")
            .put("status", "False")
            .put("reason", reason)
            .put("message", message);
    if (conditions.valueStream().anyMatch(condition::equals)) {
      return;
    }
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    // Not over a pod that has changed meanwhile: it may be bound after all.
    patch.putObject("metadata").put("resourceVersion", version(pod.json()));
    var all = patch.putObject("status").putArray("conditions");
    conditions
        .valueStream()
        .filter(each -> !each.path("type").asString("").equals("PodScheduled"))
        .forEach(all::add);
    all.add(condition);
    try {
      api.patchStatus(pod.name().namespace(), pod.name().name(), patch);
    } catch (IOException e) {
      log.atDebug()
          .addKeyValue(LogKeys.POD, pod.name())
          .addKeyValue("why", e)
          .log("condition not written");
    }
  }
}
