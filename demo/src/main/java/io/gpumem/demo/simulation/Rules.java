package io.gpumem.demo.simulation;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.ledger.NodeLedger;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.extender.view.ClusterSnapshot;
import io.gpumem.plugin.kubelet.fake.KubeletCore;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What must hold after every step, whatever goes wrong (design, section 2). The kubelet's own table
 * is the judge, not what anybody says of it.
 */
final class Rules {

  /** Views are costly to make; a wrong one stays wrong for longer than so many steps. */
  private static final int VIEW_EVERY = 25;

  private final World world;
  private final Map<String, Long> checked = new HashMap<>();
  private long steps;

  Rules(World world) {
    this.world = world;
  }

  /** What is broken now; empty when all is well. */
  Optional<String> broken() {
    steps++;
    for (SimNode node : world.nodes()) {
      long changes = node.kubelet().changes();
      if (!Long.valueOf(changes).equals(checked.put(node.name(), changes))) {
        Optional<String> broken = table(node);
        if (broken.isPresent()) {
          return broken.map(text -> node.name() + ": " + text);
        }
      }
    }
    return steps % VIEW_EVERY == 0 ? views() : Optional.empty();
  }

  /**
   * Musts 1 and 2: an ID has one holder, a device is not given beyond its units, and a container
   * has one device. What runs on from a lost table has no IDs any more, but takes its units.
   */
  private Optional<String> table(SimNode node) {
    KubeletCore core = node.kubelet().core();
    Map<String, String> holders = new HashMap<>();
    Map<String, String> names =
        core.pods().stream().collect(Collectors.toMap(KubeletPod::uid, KubeletPod::name));
    var held = node.kubelet().held();
    for (var pod : held.entrySet()) {
      String name = names.getOrDefault(pod.getKey(), "?");
      for (Map.Entry<String, SortedSet<String>> container : pod.getValue().entrySet()) {
        for (String id : container.getValue()) {
          String other =
              core.table().containsKey(pod.getKey()) ? holders.put(id, pod.getKey()) : null;
          if (other != null && !other.equals(pod.getKey())) {
            return Optional.of("sold twice: " + id + " to " + name + " and " + names.get(other));
          }
        }
        Optional<String> mixed = mixed(node, name, container.getValue());
        if (mixed.isPresent()) {
          return mixed;
        }
      }
    }
    // Where the kubelet can't be asked about a suspect, the design accepts, and counts.
    return overUsed(
        node, world.faults().contains(Fault.TABLE_UNREADABLE) ? alive(core) : held.values());
  }

  private static Collection<SortedMap<String, SortedSet<String>>> alive(KubeletCore core) {
    Map<String, SortedMap<String, SortedSet<String>>> alive = new TreeMap<>(core.table());
    alive.keySet().removeIf(uid -> !core.has(uid));
    return alive.values();
  }

  private static Optional<String> overUsed(
      SimNode node, Collection<SortedMap<String, SortedSet<String>>> pods) {
    Map<DeviceUuid, Long> used = new TreeMap<>();
    for (var containers : pods) {
      containers.values().stream()
          .flatMap(Set::stream)
          .distinct()
          .map(id -> DeviceId.parse(id).orElseThrow().device())
          .forEach(device -> used.merge(device, 1L, Long::sum));
    }
    return used.entrySet().stream()
        .filter(each -> each.getValue() > node.machine().units(each.getKey()))
        .findFirst()
        .map(each -> "oversold: " + each);
  }

  private Optional<String> mixed(SimNode node, String pod, Set<String> ids) {
    Set<DeviceUuid> devices = new HashSet<>();
    for (String text : ids) {
      DeviceId id = DeviceId.parse(text).orElseThrow();
      devices.add(id.device());
      if (id.number() >= node.machine().units(id.device())) {
        return Optional.of(pod + " holds " + text + ", which does not exist");
      }
    }
    // A call has no pod in it: one that met no extender can pass for one that opted in.
    boolean mayPass = pod.endsWith(Pods.TWO_DEVICES) || world.faults().contains(Fault.BYPASS);
    int allowed = mayPass ? 2 : 1;
    return devices.size() > allowed
        ? Optional.of(pod + " has one container on " + devices)
        : Optional.empty();
  }

  /** Must 7, in every view that decisions are made from. */
  private Optional<String> views() {
    for (SimNode node : world.nodes()) {
      Optional<String> broken =
          node.plugin()
              .flatMap(plugin -> bounds(plugin.core().allocator().view().books().ledger()));
      if (broken.isPresent()) {
        return broken.map(text -> "plugin of " + node.name() + ": " + text);
      }
    }
    for (ExtenderSlot slot : world.extenders()) {
      Optional<ClusterSnapshot> snapshot = slot.extender().map(each -> each.view().snapshot());
      Optional<String> broken = snapshot.flatMap(this::bounds);
      if (broken.isPresent()) {
        return broken.map(text -> "extender: " + text);
      }
    }
    return Optional.empty();
  }

  private Optional<String> bounds(ClusterSnapshot snapshot) {
    return snapshot.nodes().stream().flatMap(node -> bounds(node.ledger()).stream()).findFirst();
  }

  private static Optional<String> bounds(NodeLedger ledger) {
    List<Device> devices = ledger.inventory().devices();
    for (Device device : devices) {
      long free = ledger.free(device);
      if (free < 0 || free > device.units()) {
        return Optional.of("free " + free + " of " + device.units() + " on " + device.uuid());
      }
    }
    return Optional.empty();
  }
}
