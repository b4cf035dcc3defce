package io.gpumem.demo.simulation;

import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.units.Units;
import io.gpumem.core.wire.AllocationsCodec;
import io.gpumem.core.wire.CordonList;
import io.gpumem.core.wire.InventoryCodec;
import io.gpumem.extender.view.NodeView;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.facts.KubeFacts;
import io.gpumem.plugin.kubelet.fake.KubeletCore;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/**
 * What must be true when the faults are over and the world has come to rest (design, section 8):
 * everybody's books are the kubelet's table, everybody is back, and who waits, waits for a reason.
 */
final class EndState {

  private static final KubeFacts FACTS = new KubeFacts(World.KEYS, (what, why) -> {});

  private final World world;
  private final List<String> wrong = new ArrayList<>();

  private EndState(World world) {
    this.world = world;
  }

  /** Everything that is wrong, one line each. */
  static List<String> wrong(World world) {
    EndState end = new EndState(world);
    world.nodes().forEach(end::node);
    end.pods();
    end.refusals();
    return end.wrong;
  }

  private void node(SimNode node) {
    boolean registered = node.plugin().map(SimPlugin::isRegistered).orElse(false);
    if (!registered) {
      wrong.add(node.name() + ": the plugin is not registered");
      return;
    }
    Map<String, Map<DeviceUuid, Long>> table = table(node);
    Map<String, Long> maybe = unknown(node, table);
    Map<String, String> annotations =
        world.api().find(ObjectKey.node(node.name())).map(SimCluster::annotations).orElseThrow();
    published(node, table, maybe, annotations);
    Map<DeviceUuid, Long> used = new TreeMap<>();
    table.values().forEach(devices -> Units.add(used, devices));
    for (ExtenderSlot slot : world.extenders()) {
      slot.extender().ifPresent(extender -> extender(node, extender, used, maybe));
    }
    heldAreListed(node);
  }

  /**
   * Pods without an entry in the kubelet's table that may be counted for as long as they live, and
   * what they ask: those with an ordinary init container that the kubelet started without any
   * device, for nothing that can be read tells them from those whose init container holds units;
   * and those whose devices were forgotten with the table.
   */
  private static Map<String, Long> unknown(SimNode node, Map<String, Map<DeviceUuid, Long>> table) {
    Map<String, Long> maybe = new TreeMap<>();
    for (KubeletPod pod : node.kubelet().core().pods()) {
      boolean withoutDevice =
          node.kubelet().core().hasInit(pod.uid()) && !table.containsKey(pod.uid());
      if (withoutDevice || node.kubelet().isForgotten(pod.uid())) {
        long most =
            pod.containers().stream()
                .flatMap(each -> each.requests().values().stream())
                .mapToLong(Integer::longValue)
                .sum();
        maybe.put(pod.uid(), most);
      }
    }
    return maybe;
  }

  /** The oracle: units by device of each pod that lives, from the kubelet's inner table. */
  private static Map<String, Map<DeviceUuid, Long>> table(SimNode node) {
    Map<String, Map<DeviceUuid, Long>> table = new TreeMap<>();
    node.kubelet()
        .held()
        .forEach(
            (uid, containers) -> {
              Set<String> ids = new HashSet<>();
              containers.values().forEach(ids::addAll);
              Map<DeviceUuid, Long> devices = new TreeMap<>();
              ids.forEach(
                  id -> devices.merge(DeviceId.parse(id).orElseThrow().device(), 1L, Long::sum));
              table.put(uid, devices);
            });
    return table;
  }

  private void published(
      SimNode node,
      Map<String, Map<DeviceUuid, Long>> table,
      Map<String, Long> maybe,
      Map<String, String> annotations) {
    Optional<Allocations> allocations =
        AllocationsCodec.decode(Optional.ofNullable(annotations.get(World.KEYS.allocations())))
            .understood();
    Map<String, Map<DeviceUuid, Long>> told = new TreeMap<>();
    allocations
        .orElse(Allocations.NONE)
        .pods()
        .forEach((PodUid uid, PodAllocation pod) -> told.put(uid.text(), total(pod)));
    told.values().removeIf(Map::isEmpty);
    told.keySet().removeAll(maybe.keySet());
    Map<String, Map<DeviceUuid, Long>> has = new TreeMap<>(table);
    has.keySet().removeAll(maybe.keySet());
    if (!told.equals(has)) {
      wrong.add(node.name() + ": published " + named(told) + " but the kubelet has " + named(has));
    }
    if (!allocations.orElse(Allocations.NONE).names().isEmpty()) {
      wrong.add(node.name() + ": unknown holders " + allocations.get().names());
    }
    var inventory =
        InventoryCodec.decode(Optional.ofNullable(annotations.get(World.KEYS.devices())))
            .understood();
    var own = node.plugin().orElseThrow().core().allocator().inventory();
    if (!inventory.equals(Optional.of(own))) {
      wrong.add(node.name() + ": published inventory " + inventory + " is not " + own);
    }
    own.devices().stream()
        .filter(device -> !device.health().isHealthy())
        .forEach(device -> wrong.add(node.name() + ": still bad: " + device));
  }

  private static Map<DeviceUuid, Long> total(PodAllocation pod) {
    Map<DeviceUuid, Long> total = new TreeMap<>(pod.shown());
    Units.add(total, pod.init());
    return total;
  }

  private String named(Map<String, Map<DeviceUuid, Long>> byUid) {
    Map<String, String> names = new HashMap<>();
    world.pods().forEach(pod -> names.put(World.uid(pod), World.name(pod)));
    Map<String, Map<DeviceUuid, Long>> named = new TreeMap<>();
    byUid.forEach((uid, devices) -> named.put(names.getOrDefault(uid, uid), devices));
    return named.toString();
  }

  private void extender(
      SimNode node, SimExtender extender, Map<DeviceUuid, Long> used, Map<String, Long> maybe) {
    long most = maybe.values().stream().mapToLong(Long::longValue).sum();
    Optional<NodeView> view = extender.view().snapshot().node(new NodeName(node.name()));
    if (view.isEmpty()) {
      wrong.add(node.name() + ": the extender does not know it");
      return;
    }
    for (Device device : view.get().ledger().inventory().devices()) {
      long seen = view.get().ledger().used(device.uuid());
      long really = used.getOrDefault(device.uuid(), 0L);
      if (Math.abs(seen - really) > most) {
        wrong.add(
            node.name()
                + ": the extender counts "
                + seen
                + " not "
                + really
                + " on "
                + device.uuid());
      }
    }
  }

  /** Must 8: what is held is in the list, and healthy there. */
  private void heldAreListed(SimNode node) {
    KubeletCore core = node.kubelet().core();
    Set<String> listed = core.healthyIds(World.KEYS.resource());
    core.table()
        .forEach(
            (uid, containers) ->
                containers.forEach(
                    (container, ids) -> {
                      if (core.has(uid) && !listed.containsAll(ids)) {
                        wrong.add(node.name() + ": held and not listed as healthy: " + ids);
                      }
                    }));
  }

  private void pods() {
    Map<String, SimNode> nodes = new HashMap<>();
    world.nodes().forEach(node -> nodes.put(node.name(), node));
    Set<String> there = new HashSet<>();
    for (ObjectNode pod : world.pods()) {
      there.add(World.uid(pod));
      if (SimCluster.hasEnded(pod)) {
        continue;
      }
      if (World.node(pod).isEmpty()) {
        waits(pod);
      } else {
        boolean started =
            Optional.ofNullable(nodes.get(World.node(pod)))
                .map(node -> node.kubelet().core().isStarted(World.uid(pod)))
                .orElse(false);
        if (!started) {
          wrong.add(World.name(pod) + " is bound and does not run");
        }
      }
    }
    for (SimNode node : world.nodes()) {
      for (KubeletPod pod : node.kubelet().core().pods()) {
        if (!there.contains(pod.uid())) {
          wrong.add(pod.name() + " runs and is in no API server");
        }
      }
    }
  }

  /** A pod with one plain request waits only where no open device has room for it. */
  private void waits(ObjectNode pod) {
    boolean plain =
        pod.path("spec").path("containers").size() == 1
            && pod.path("spec").path("initContainers").isEmpty()
            && !pod.path("metadata").path("annotations").has(World.KEYS.deviceCount())
            && !pod.path("metadata").path("annotations").has(World.KEYS.model());
    if (!plain) {
      return;
    }
    long units =
        pod.path("spec")
            .path("containers")
            .path(0)
            .path("resources")
            .path("limits")
            .path(World.KEYS.resource())
            .asLong(0);
    for (SimNode node : world.nodes()) {
      Map<DeviceUuid, Long> used = new TreeMap<>();
      Map<String, Map<DeviceUuid, Long>> table = table(node);
      if (!unknown(node, table).isEmpty() || sum(node) < units) {
        continue;
      }
      table.values().forEach(devices -> Units.add(used, devices));
      Set<DeviceUuid> cordoned = cordoned(node);
      for (DeviceUuid device : node.machine().devices()) {
        long free = node.machine().units(device) - used.getOrDefault(device, 0L);
        if (free >= units && !cordoned.contains(device)) {
          wrong.add(
              World.name(pod)
                  + " waits for "
                  + units
                  + " and "
                  + device
                  + " has "
                  + free
                  + " free");
        }
      }
    }
  }

  /** What is left by the scheduler's own sum, which knows specs and no devices. */
  private long sum(SimNode node) {
    long left = node.machine().devices().stream().mapToLong(node.machine()::units).sum();
    for (ObjectNode pod : world.pods()) {
      if (World.node(pod).equals(node.name()) && !SimCluster.hasEnded(pod)) {
        left -= FACTS.pod(world.api().pod(pod)).map(facts -> facts.demand().footprint()).orElse(0L);
      }
    }
    return left;
  }

  private Set<DeviceUuid> cordoned(SimNode node) {
    Optional<String> text =
        world
            .api()
            .find(ObjectKey.node(node.name()))
            .map(SimCluster::annotations)
            .map(all -> all.get(World.KEYS.cordon()));
    return node.plugin()
        .map(plugin -> CordonList.parse(text, plugin.core().allocator().inventory()).devices())
        .orElse(Set.of());
  }

  /** Where nothing happened that can cost a pod its place, no pod was refused. */
  private void refusals() {
    boolean strict = world.faults().stream().allMatch(Fault::isHarmless);
    if (strict) {
      for (SimNode node : world.nodes()) {
        for (SimKubelet.Refused refused : node.kubelet().refusals()) {
          wrong.add(node.name() + ": " + refused.pod() + " was refused: " + refused.message());
        }
      }
    }
  }
}
