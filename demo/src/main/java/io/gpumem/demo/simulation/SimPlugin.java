package io.gpumem.demo.simulation;

import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.Memory;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.wire.Keys;
import io.gpumem.platform.cluster.Feed;
import io.gpumem.platform.cluster.NodeSelection;
import io.gpumem.platform.cluster.PodSelection;
import io.gpumem.platform.cluster.Reading;
import io.gpumem.platform.facts.NodeTexts;
import io.gpumem.platform.metrics.Metrics;
import io.gpumem.plugin.PluginCore;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.PreferredCall;
import io.gpumem.plugin.inventory.Sizes;
import io.gpumem.plugin.kubelet.KubeletLink;
import io.gpumem.plugin.kubelet.PodTable;
import io.gpumem.plugin.kubelet.fake.PluginAnswer;
import io.gpumem.plugin.kubelet.fake.PluginEndpoint;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerPreferredAllocationResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import io.gpumem.proto.podresources.v1.PodResources;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * One life of a node's plugin: its real core between a simulated kubelet, simulated GPUs and the
 * simulated API server, wired and started in the order of the real process.
 */
final class SimPlugin implements PluginEndpoint, PodTable {

  private static final Duration FILL_LIMIT = Duration.ofSeconds(5);
  private static final Duration LOOK = Duration.ofMillis(100);
  private static final Duration SCAN_EVERY = Duration.ofSeconds(2);
  private static final int GOOD_SCANS = 3;

  private final Keys keys;
  private final SimKubelet kubelet;
  private final SimMachine machine;
  private final SimProcess process;
  private final SimCluster cluster;
  private final Trace trace;
  private final PluginCore core;
  private final Dice dice;
  private final String socket;
  private final long begunNanos;
  private Optional<Feed> pods = Optional.empty();
  private boolean registered;
  private boolean readsFail;

  /** Where a plugin lives. */
  record Site(
      Keys keys,
      SimKubelet kubelet,
      SimMachine machine,
      SimApi api,
      EventTime time,
      Trace trace) {}

  SimPlugin(Site site, Duration reservationWait, int life, Dice dice, Runnable died) {
    this.keys = site.keys();
    this.kubelet = site.kubelet();
    this.machine = site.machine();
    this.dice = dice;
    this.trace = site.trace();
    this.socket = "gpumem-" + life + ".sock";
    this.process = new SimProcess("plugin-" + kubelet.name(), site.time(), () -> ended(died));
    this.cluster = new SimCluster(site.api(), process, dice.of("cluster"));
    this.begunNanos = process.monotonicNanos();
    PluginCore.Settings settings =
        new PluginCore.Settings(
            new NodeName(kubelet.name()),
            keys,
            Memory.ofGib(1),
            Sizes.of(List.of()),
            reservationWait,
            GOOD_SCANS,
            false,
            Path.of("/dev"));
    this.core =
        new PluginCore(
            settings,
            cluster,
            this,
            new PluginCore.Clockwork(
                process, process::loop, (changed, nanos) -> process.await(nanos)),
            this::isWatching,
            new Metrics());
    process.schedule(Duration.ZERO, this::start);
  }

  private void ended(Runnable died) {
    cluster.close();
    core.close();
    kubelet.disconnect(socket);
    died.run();
  }

  SimProcess process() {
    return process;
  }

  SimCluster cluster() {
    return cluster;
  }

  PluginCore core() {
    return core;
  }

  boolean isRegistered() {
    return registered && !process.isDead();
  }

  /** From now on the kubelet's table can't be read. */
  void readsFail(boolean now) {
    readsFail = now;
  }

  private boolean isWatching() {
    return pods.map(feed -> feed.synced() && feed.blindFor().isZero()).orElse(false);
  }

  private void start() {
    core.startTable();
    Reading<NodeTexts> before =
        cluster.readNode(kubelet.name(), node -> Optional.of(core.facts().texts(node)));
    pods =
        Optional.of(
            cluster.watchPods(
                PodSelection.onNode(kubelet.name()), core.facts()::pod, core::pods));
    cluster.watchNodes(
        NodeSelection.named(kubelet.name()),
        node -> Optional.of(core.facts().texts(node)),
        core::node);
    fill(before);
  }

  /** As the process waits: for the first list and the first table, for a limited time. */
  private void fill(Reading<NodeTexts> before) {
    boolean filled = hasTable() && pods.map(Feed::synced).orElse(false);
    boolean late = process.monotonicNanos() - begunNanos >= FILL_LIMIT.toNanos();
    if (!filled && !late) {
      process.schedule(LOOK, () -> fill(before));
      return;
    }
    if (before instanceof Reading.Found<NodeTexts>(NodeTexts texts)) {
      core.published(texts);
    }
    scan();
    core.startPublisher();
    awaitScan();
  }

  private boolean hasTable() {
    try {
      return core.awaitTable(Duration.ZERO);
    } catch (InterruptedException never) {
      throw new IllegalStateException("the only thread was interrupted", never);
    }
  }

  private void scan() {
    if (!machine.hangs()) {
      core.seen(machine.scan());
    }
    process.schedule(SCAN_EVERY, this::scan);
  }

  private void awaitScan() {
    if (core.allocator().inventory().devices().isEmpty()) {
      process.schedule(LOOK, this::awaitScan);
    } else {
      register();
    }
  }

  private void register() {
    if (!kubelet.isUp()) {
      core.link(KubeletLink.Event.REGISTRATION_FAILED);
      process.schedule(dice.millis(100, 1_000), this::register);
      return;
    }
    kubelet.connect(socket, this);
    kubelet.list(socket, core.list().getDevicesList());
    core.link(KubeletLink.Event.REGISTERED);
    if (!registered) {
      registered = true;
      core.linked(list -> kubelet.list(socket, list.getDevicesList()));
    }
  }

  /** The kubelet has gone, or has come back: noticed a little later, as by inotify or polling. */
  void kubeletRestarted() {
    process.schedule(
        dice.millis(1, 800),
        () -> {
          if (registered) {
            core.link(KubeletLink.Event.STREAM_ENDED);
            register();
          }
        });
  }

  private <T> PluginAnswer<T> answer(Supplier<PluginAnswer<T>> call) {
    if (process.isDead()) {
      return PluginAnswer.refused("Unavailable", "connection refused");
    }
    try {
      PluginAnswer<T> answer = call.get();
      return process.isDead() ? PluginAnswer.refused("Unavailable", "EOF") : answer;
    } catch (Killed killed) {
      return PluginAnswer.refused("Unavailable", "EOF");
    }
  }

  @Override
  public PluginAnswer<PreferredAllocationResponse> getPreferredAllocation(
      PreferredAllocationRequest request) {
    var container = request.getContainerRequests(0);
    PreferredCall call =
        new PreferredCall(
            container.getAvailableDeviceIDsList(),
            new HashSet<>(container.getMustIncludeDeviceIDsList()),
            container.getAllocationSize());
    return answer(() -> PluginAnswer.given(preferred(call)));
  }

  @Override
  public PluginAnswer<AllocateResponse> allocate(AllocateRequest request) {
    return answer(() -> allocated(request.getContainerRequests(0).getDevicesIdsList()));
  }

  private PreferredAllocationResponse preferred(PreferredCall call) {
    List<String> ids = core.allocator().prefer(call);
    trace.note(process.name(), "prefers " + brief(ids) + " for " + call.size());
    return PreferredAllocationResponse.newBuilder()
        .addContainerResponses(
            ContainerPreferredAllocationResponse.newBuilder().addAllDeviceIDs(ids))
        .build();
  }

  private PluginAnswer<AllocateResponse> allocated(List<String> ids) {
    trace.note(process.name(), "is asked for " + brief(ids));
    return switch (core.allocator().allocate(ids)) {
      case Allocator.Outcome.Granted granted ->
          PluginAnswer.given(
              AllocateResponse.newBuilder()
                  .addContainerResponses(ContainerAllocateResponse.getDefaultInstance())
                  .build());
      case Allocator.Outcome.Refused(String why) ->
          PluginAnswer.refused("FailedPrecondition", why);
    };
  }

  /** The last digits of the device and the number: a world has few devices. */
  private static List<String> brief(List<String> ids) {
    return ids.stream().map(id -> id.substring(Math.max(0, id.indexOf("::") - 2))).sorted().toList();
  }

  @Override
  public Listed list(Duration limit) {
    if (!kubelet.isUp() || readsFail) {
      return new Listed.Failed("the kubelet does not answer");
    }
    long begun = process.monotonicNanos();
    List<io.gpumem.plugin.allocate.Reading> readings = new ArrayList<>();
    for (PodResources pod : kubelet.core().list().getPodResourcesList()) {
      readings.add(reading(pod, begun));
    }
    return new Listed.Table(readings);
  }

  @Override
  public Held ask(PodName pod, Duration limit) {
    if (!kubelet.isUp() || readsFail) {
      return new Held.Unknown("the kubelet does not answer");
    }
    long begun = process.monotonicNanos();
    return kubelet
        .core()
        .get(pod.namespace(), pod.name())
        .<Held>map(found -> new Held.Listed(reading(found, begun)))
        .orElseGet(Held.Gone::new);
  }

  private io.gpumem.plugin.allocate.Reading reading(PodResources pod, long begun) {
    Map<String, Set<DeviceId>> containers = new HashMap<>();
    for (var container : pod.getContainersList()) {
      for (var devices : container.getDevicesList()) {
        if (devices.getResourceName().equals(keys.resource())) {
          devices
              .getDeviceIdsList()
              .forEach(
                  text ->
                      DeviceId.parse(text)
                          .ifPresent(
                              id ->
                                  containers
                                      .computeIfAbsent(container.getName(), c -> new HashSet<>())
                                      .add(id)));
        }
      }
    }
    return new io.gpumem.plugin.allocate.Reading(
        new PodName(pod.getNamespace(), pod.getName()), containers, begun);
  }
}
