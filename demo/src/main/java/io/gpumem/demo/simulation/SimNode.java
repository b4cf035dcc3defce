package io.gpumem.demo.simulation;

import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.AllocationsCodec;
import io.gpumem.core.wire.Keys;
import io.gpumem.platform.cluster.fake.ObjectKey;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/** A node: its kubelet, its GPUs, and the plugin, which is started again whenever it dies. */
final class SimNode {

  private final Keys keys;
  private final SimApi api;
  private final EventTime time;
  private final Trace trace;
  private final Dice dice;
  private final Duration reservationWait;
  private final SimKubelet kubelet;
  private final SimMachine machine;
  private Optional<SimPlugin> plugin = Optional.empty();
  private int lives;

  SimNode(
      String name,
      Keys keys,
      SimApi api,
      EventTime time,
      Trace trace,
      Dice dice,
      Duration reservationWait) {
    this.keys = keys;
    this.api = api;
    this.time = time;
    this.trace = trace;
    this.dice = dice;
    this.reservationWait = reservationWait;
    this.machine = new SimMachine(name, dice.of("machine"));
    this.kubelet =
        new SimKubelet(
            name,
            keys.resource(),
            api,
            time,
            trace,
            dice.of("kubelet"),
            new Losses(this::isPublished));
    startPlugin();
  }

  private void startPlugin() {
    lives++;
    trace.note(name(), "plugin starts");
    SimPlugin.Site site = new SimPlugin.Site(keys, kubelet, machine, api, time, trace);
    plugin =
        Optional.of(
            new SimPlugin(
                site, reservationWait, lives, dice.of("plugin-" + lives), this::pluginDied));
  }

  private void pluginDied() {
    trace.note(name(), "plugin died");
    plugin = Optional.empty();
    var unused = time.schedule(dice.millis(200, 3_000), this::startPlugin);
  }

  /** Whether anybody who comes later can read what the pod holds. */
  private boolean isPublished(String uid, SortedMap<String, SortedSet<String>> containers) {
    Map<DeviceUuid, Long> held = new TreeMap<>();
    containers.values().stream()
        .flatMap(Set::stream)
        .distinct()
        .map(id -> DeviceId.parse(id).orElseThrow().device())
        .forEach(device -> held.merge(device, 1L, Long::sum));
    Optional<String> text =
        api.find(ObjectKey.node(name()))
            .map(SimCluster::annotations)
            .map(all -> all.get(keys.allocations()));
    return AllocationsCodec.decode(text)
        .understood()
        .map(all -> all.pods().get(new PodUid(uid)))
        .map(PodAllocation::shown)
        .filter(held::equals)
        .isPresent();
  }

  String name() {
    return kubelet.name();
  }

  SimKubelet kubelet() {
    return kubelet;
  }

  SimMachine machine() {
    return machine;
  }

  /** Empty while it is dead. */
  Optional<SimPlugin> plugin() {
    return plugin;
  }

  void killPlugin() {
    plugin.ifPresent(alive -> alive.process().kill());
  }
}
