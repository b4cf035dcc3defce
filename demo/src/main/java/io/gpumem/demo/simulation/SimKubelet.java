package io.gpumem.demo.simulation;

import io.fabric8.kubernetes.api.model.Pod;
import io.gpumem.demo.world.NodePod;
import io.gpumem.demo.world.NodePodFacts;
import io.gpumem.platform.cluster.FeedEvent;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.cluster.fake.ResourceKind;
import io.gpumem.plugin.kubelet.ListTaker;
import io.gpumem.plugin.kubelet.fake.KubeletCore;
import io.gpumem.plugin.kubelet.fake.KubeletEvent;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import io.gpumem.plugin.kubelet.fake.PluginEndpoint;
import io.gpumem.plugin.kubelet.fake.Quantity;
import io.gpumem.plugin.kubelet.fake.Release;
import io.gpumem.plugin.kubelet.fake.Restart;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A node's kubelet: the stand-in's device manager behind a watch of the node's pods and one sync
 * loop. While a call to the plugin is under way the loop stands still, as in the real one.
 */
final class SimKubelet {

  /** A pod that the kubelet refused, in its words. */
  record Refused(String pod, String uid, String message, long atNanos, boolean again) {}

  /** What a pod has come to, by the kubelet that knows best. */
  private record Status(KubeletPod pod, String phase) {}

  private final String name;
  private final String resource;
  private final SimApi api;
  private final EventTime time;
  private final Trace trace;
  private final Dice dice;
  private final List<Runnable> inbox = new ArrayList<>();
  private final Set<String> told = new HashSet<>();
  private final Set<String> ending = new HashSet<>();
  private final Map<String, Status> statuses = new TreeMap<>();
  private final List<Refused> refusals = new ArrayList<>();

  private final Losses losses;
  private KubeletCore core;
  private SimProcess life;
  private SimFeed<Pod, NodePod> pods;
  private Optional<String> socket = Optional.empty();
  private boolean busy;
  private boolean disorderly;
  private boolean up;
  private long changes;

  SimKubelet(
      String name,
      String resource,
      SimApi api,
      EventTime time,
      Trace trace,
      Dice dice,
      Losses losses) {
    this.losses = losses;
    this.name = name;
    this.resource = resource;
    this.api = api;
    this.time = time;
    this.trace = trace;
    this.dice = dice;
    this.core = KubeletCore.fresh(dice.of(List.of(Release.V1_36, Release.V1_37)), dice.number());
    this.life = new SimProcess(name, time, () -> {});
    createNode();
    this.pods = watch();
    this.up = true;
  }

  private void createNode() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.putObject("metadata").put("name", name);
    ObjectNode unused = api.create(ResourceKind.NODES, node);
    ObjectNode ready = JsonNodeFactory.instance.objectNode();
    ready
        .putObject("status")
        .putArray("conditions")
        .addObject()
        .put("type", "Ready")
        .put("status", "True");
    boolean there = api.patchStatus(ObjectKey.node(name), ready);
  }

  private SimFeed<Pod, NodePod> watch() {
    return new SimFeed<>(
        api,
        life,
        new SimFeed.Source<>(
            ResourceKind.PODS,
            pod -> pod.path("spec").path("nodeName").asString("").equals(name),
            api::pod,
            NodePodFacts::of),
        this::watched,
        dice.of("watch"));
  }

  String name() {
    return name;
  }

  boolean isUp() {
    return up;
  }

  KubeletCore core() {
    return core;
  }

  SimFeed<Pod, NodePod> feed() {
    return pods;
  }

  List<Refused> refusals() {
    return List.copyOf(refusals);
  }

  /** The truth about the node: the device IDs of every container of a pod that has not ended. */
  SortedMap<String, SortedMap<String, SortedSet<String>>> held() {
    return losses.held(core);
  }

  /** Whether nobody can know what the pod has. */
  boolean isForgotten(String uid) {
    return losses.isForgotten(uid);
  }

  /** How often the table may have changed. */
  long changes() {
    return changes;
  }

  /** From now on pods that wait are admitted in any order. */
  void disorderly(boolean now) {
    disorderly = now;
  }

  private void watched(FeedEvent<NodePod> event) {
    switch (event) {
      case FeedEvent.Listed<NodePod>(List<NodePod> all, List<NodePod> gone) -> {
        all.stream()
            .sorted(java.util.Comparator.comparing(pod -> pod.pod().createdAt()))
            .forEach(this::seen);
        vanished(all);
      }
      case FeedEvent.Appeared<NodePod>(NodePod now) -> seen(now);
      case FeedEvent.Changed<NodePod>(NodePod before, NodePod now) -> seen(now);
      case FeedEvent.Gone<NodePod>(NodePod last) -> {
        core.stopped(last.pod().uid());
        changes++;
      }
    }
  }

  /** Pods that went while nobody watched: their containers are stopped as orphans. */
  private void vanished(List<NodePod> all) {
    Set<String> there = new HashSet<>();
    all.forEach(pod -> there.add(pod.pod().uid()));
    core.pods().stream()
        .map(KubeletPod::uid)
        .filter(uid -> !there.contains(uid))
        .forEach(core::stopped);
    changes++;
  }

  private void seen(NodePod pod) {
    if (told.add(pod.pod().uid())) {
      core.bind(pod.pod());
      inbox.add(() -> admit(pod.pod(), false));
      pumpSoon();
    }
    if (pod.deleting() && ending.add(pod.pod().uid())) {
      core.terminate(pod.pod().uid());
      life.schedule(dice.millis(1, 1_500), () -> ended(pod.pod()));
    }
  }

  /** The containers are down: nothing is held any more, and then the object goes. */
  private void ended(KubeletPod pod) {
    core.finish(pod.uid());
    changes++;
    Duration later = dice.millis(0, 300);
    life.schedule(later, () -> gone(pod));
  }

  private void gone(KubeletPod pod) {
    api.whenThere(() -> removed(pod));
  }

  private void removed(KubeletPod pod) {
    boolean unused = api.removePod(pod.namespace(), pod.name(), pod.uid());
  }

  /** The pod ends by itself. */
  void succeed(String uid) {
    core.pods().stream()
        .filter(pod -> pod.uid().equals(uid) && core.isStarted(uid))
        .findFirst()
        .ifPresent(
            pod -> {
              core.finish(uid);
              changes++;
              status(pod, "Succeeded");
            });
  }

  private void pumpSoon() {
    life.schedule(dice.millis(0, 15), this::pump);
  }

  private void pump() {
    if (!up || busy || inbox.isEmpty()) {
      return;
    }
    Runnable job = inbox.remove(disorderly ? dice.below(inbox.size()) : 0);
    busy = true;
    SimProcess mine = life;
    try {
      job.run();
    } finally {
      if (life == mine) {
        busy = false;
      }
      changes++;
    }
    if (life == mine && !inbox.isEmpty()) {
      pumpSoon();
    }
  }

  private void admit(KubeletPod pod, boolean again) {
    SimProcess mine = life;
    KubeletCore running = core;
    if (!running.has(pod.uid())) {
      return;
    }
    trace.note(name, (again ? "admits again " : "admits ") + pod.name());
    Optional<KubeletEvent.PodFailed> failed = running.admit(pod);
    if (life != mine || !running.has(pod.uid())) {
      return;
    }
    running.settle(pod, failed.isEmpty());
    if (failed.isPresent()) {
      refused(pod, failed.get().message(), again);
    } else if (!running.isStarted(pod.uid())) {
      start(pod, mine);
    }
  }

  private void start(KubeletPod pod, SimProcess mine) {
    if (life != mine || !core.has(pod.uid())) {
      return;
    }
    Optional<KubeletEvent> event = core.start(pod.uid());
    changes++;
    if (life != mine || event.isEmpty()) {
      return;
    }
    switch (event.get()) {
      case KubeletEvent.PodRunning running -> {
        trace.note(name, pod.name() + " runs");
        status(pod, "Running");
      }
      case KubeletEvent.ContainerWaiting waiting -> {
        trace.note(name, pod.name() + " can't start: " + waiting.message());
        life.schedule(dice.millis(500, 1_000), () -> start(pod, mine));
      }
      case KubeletEvent.PodFailed gone -> refused(pod, gone.message(), false);
      case KubeletEvent.CapacityChanged changed -> {}
    }
  }

  private void refused(KubeletPod pod, String message, boolean again) {
    trace.note(name, pod.name() + " refused: " + message);
    refusals.add(new Refused(pod.name(), pod.uid(), message, time.monotonicNanos(), again));
    status(pod, "Failed");
  }

  private void status(KubeletPod pod, String phase) {
    Status now = new Status(pod, phase);
    statuses.put(pod.uid(), now);
    tellLater(now);
  }

  private void tellLater(Status status) {
    life.schedule(dice.millis(1, 200), () -> api.whenThere(() -> tell(status.pod())));
  }

  /** The newest phase is written, whichever write comes first. */
  private void tell(KubeletPod pod) {
    Status newest = statuses.getOrDefault(pod.uid(), new Status(pod, "Running"));
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.putObject("metadata").put("uid", pod.uid());
    patch.putObject("status").put("phase", newest.phase());
    boolean unused = api.patchStatus(ObjectKey.pod(pod.namespace(), pod.name()), patch);
  }

  /** A plugin has registered. */
  void connect(String plugin, PluginEndpoint endpoint) {
    core.connect(resource, plugin, endpoint);
    socket = Optional.of(plugin);
  }

  /** Where a plugin tells its list; one that is not connected any more is not heard. */
  ListTaker lists(String plugin) {
    return list -> {
      if (up && socket.equals(Optional.of(plugin))) {
        core.take(resource, list);
        changes++;
        capacity();
      }
    };
  }

  /** The plugin's stream ended. */
  void disconnect(String plugin) {
    if (up && socket.equals(Optional.of(plugin))) {
      core.disconnect(resource, plugin, now());
      socket = Optional.empty();
      capacity();
    }
  }

  private void capacity() {
    life.schedule(dice.millis(1, 300), () -> api.whenThere(this::writeCapacity));
  }

  private void writeCapacity() {
    Optional<Quantity> quantity = Optional.ofNullable(core.quantities().get(resource));
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    ObjectNode status = patch.putObject("status");
    long capacity = quantity.map(Quantity::capacity).orElse(0L);
    long allocatable = quantity.map(Quantity::allocatable).orElse(0L);
    status.putObject("capacity").put(resource, Long.toString(capacity));
    status.putObject("allocatable").put(resource, Long.toString(allocatable));
    boolean unused = api.patchStatus(ObjectKey.node(name), patch);
  }

  private Instant now() {
    return Instant.ofEpochMilli(time.wallMillis());
  }

  /** Kills the kubelet; another starts after the pause. */
  void restart(Restart how, Duration pause) {
    trace.note(name, "kubelet killed, comes back after " + pause.toMillis() + " ms as " + how);
    up = false;
    life.kill();
    pods.close();
    inbox.clear();
    socket = Optional.empty();
    busy = false;
    losses.restarting(how, core);
    core = core.restarted(how, dice.number(), now());
    changes++;
    life = new SimProcess(name, time, () -> {});
    life.schedule(pause, this::comeBack);
  }

  private void comeBack() {
    trace.note(name, "kubelet is back");
    up = true;
    ending.clear();
    pods = watch();
    capacity();
    List<KubeletPod> again = core.pods();
    // What an earlier life came to and could not write any more.
    statuses.values().forEach(this::tellLater);
    again.forEach(pod -> inbox.add(() -> admit(pod, true)));
    inbox.add(core::sourcesReady);
    boolean wasDisorderly = disorderly;
    disorderly = false;
    // A starting kubelet admits in the order of creation, whatever it did before.
    inbox.add(() -> disorderly = wasDisorderly);
    pumpSoon();
  }
}
