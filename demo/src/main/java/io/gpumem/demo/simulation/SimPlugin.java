package io.gpumem.demo.simulation;

import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.Memory;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.Keys;
import io.gpumem.platform.cluster.Feed;
import io.gpumem.platform.cluster.NodeSelection;
import io.gpumem.platform.cluster.PodSelection;
import io.gpumem.platform.metrics.Metrics;
import io.gpumem.plugin.PluginCore;
import io.gpumem.plugin.inventory.Sizes;
import io.gpumem.plugin.kubelet.KubeletLink;
import io.gpumem.plugin.kubelet.fake.AllocatorEndpoint;
import io.gpumem.plugin.kubelet.fake.CoreTable;
import io.gpumem.plugin.kubelet.fake.GuardedEndpoint;
import io.gpumem.plugin.kubelet.fake.KubeletCore;
import io.gpumem.plugin.kubelet.fake.PluginEndpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * One life of a node's plugin: its real core between a simulated kubelet, simulated GPUs and the
 * simulated API server, wired and started in the order of the real process.
 */
final class SimPlugin {

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
      Keys keys, SimKubelet kubelet, SimMachine machine, SimApi api, EventTime time, Trace trace) {}

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
            new CoreTable(this::answering, keys.resource(), process::monotonicNanos),
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

  /** Where the kubelet's table can be read now. */
  private Optional<KubeletCore> answering() {
    return kubelet.isUp() && !readsFail ? Optional.of(kubelet.core()) : Optional.empty();
  }

  private boolean isWatching() {
    return pods.map(feed -> feed.synced() && feed.blindFor().isZero()).orElse(false);
  }

  private void start() {
    core.startTable();
    pods =
        Optional.of(
            cluster.watchPods(PodSelection.onNode(kubelet.name()), core.facts()::pod, core::pods));
    Feed nodes =
        cluster.watchNodes(
            NodeSelection.named(kubelet.name()),
            node -> Optional.of(core.facts().texts(node)),
            core::node);
    core.allocator().checkpointed(checkpoint());
    fill(nodes);
  }

  private Map<PodUid, Map<String, Set<DeviceId>>> checkpoint() {
    Map<PodUid, Map<String, Set<DeviceId>>> checkpoint = new HashMap<>();
    kubelet
        .core()
        .checkpointed(keys.resource())
        .forEach(
            (uid, containers) -> {
              Map<String, Set<DeviceId>> parsed = new HashMap<>();
              containers.forEach(
                  (container, ids) ->
                      parsed.put(
                          container,
                          ids.stream()
                              .map(id -> DeviceId.parse(id).orElseThrow())
                              .collect(Collectors.toSet())));
              checkpoint.put(new PodUid(uid), parsed);
            });
    return checkpoint;
  }

  /** As the process waits: for the first lists and the first table, for a limited time. */
  private void fill(Feed nodes) {
    boolean filled = hasTable() && nodes.synced() && pods.map(Feed::synced).orElse(false);
    boolean late = process.monotonicNanos() - begunNanos >= FILL_LIMIT.toNanos();
    if (!filled && !late) {
      process.schedule(LOOK, () -> fill(nodes));
      return;
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
    kubelet.connect(socket, endpoint());
    core.tell(kubelet.lists(socket));
    core.link(KubeletLink.Event.REGISTERED);
    if (!registered) {
      registered = true;
      core.linked(kubelet.lists(socket));
    }
  }

  private PluginEndpoint endpoint() {
    return new GuardedEndpoint(
        new AllocatorEndpoint(core::allocator),
        new GuardedEndpoint.Guard() {
          @Override
          public <T> Optional<T> run(Supplier<T> call) {
            return process.call(call);
          }
        },
        what -> trace.note(process.name(), what));
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
}
