package io.gpumem.plugin.allocate;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.units.Units;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What an earlier run of the plugin published, and what the kubelet's own file said when this one
 * began: where ordinary init containers hold units, which PodResources never shows, and what
 * running pods held before the kubelet lost its table. It is asked only where nothing newer is
 * known, for the annotation may have been forged since; of amounts the pod's spec is believed.
 * Mutable, not thread-safe: {@link NodeState} owns it.
 */
final class Earlier {

  private Map<PodUid, PodAllocation> published = Map.of();
  private Map<PodUid, Map<String, UnitSet>> checkpoint = Map.of();
  private final Set<PodUid> shown = new HashSet<>();
  private final Set<PodUid> regained = new HashSet<>();

  void published(Allocations before) {
    published = before.pods();
  }

  void checkpointed(Map<PodUid, Map<String, Set<DeviceId>>> pods) {
    Map<PodUid, Map<String, UnitSet>> copy = new HashMap<>();
    pods.forEach(
        (pod, containers) -> {
          Map<String, UnitSet> units = new HashMap<>();
          containers.forEach((container, ids) -> units.put(container, UnitSet.copyOf(ids)));
          copy.put(pod, units);
        });
    checkpoint = copy;
  }

  /** This run has seen what the pod holds. */
  void shown(PodUid pod) {
    shown.add(pod);
  }

  /** A pod that the kubelet forgot was given its units again, and does not show them yet. */
  void regained(PodUid pod) {
    regained.add(pod);
  }

  boolean isRegained(PodUid pod) {
    return regained.contains(pod);
  }

  void gone(PodUid pod) {
    shown.remove(pod);
    regained.remove(pod);
  }

  /** What a pod that this run has not seen with any IDs held by the last; by container. */
  Map<String, Map<DeviceUuid, Long>> containers(PodFacts pod, Inventory inventory) {
    Map<String, Map<DeviceUuid, Long>> containers = new TreeMap<>();
    if (!shown.contains(pod.uid())) {
      Map<String, Map<DeviceUuid, Long>> before =
          Optional.ofNullable(published.get(pod.uid()))
              .map(PodAllocation::containers)
              .orElse(Map.of());
      for (ContainerDemand container : pod.demand().containers()) {
        Map<DeviceUuid, Long> devices = before.getOrDefault(container.container(), Map.of());
        if (container.phase() != Phase.INIT
            && Units.total(devices) == container.units()
            && devices.keySet().stream().allMatch(inventory::has)) {
          containers.put(container.container(), devices);
        }
      }
    }
    return containers;
  }

  /** The IDs of the pod's ordinary init containers, as far as the kubelet's file had them. */
  UnitSet initIds(PodFacts pod) {
    Map<String, UnitSet> containers = checkpoint.getOrDefault(pod.uid(), Map.of());
    return pod.demand().containers().stream()
        .filter(each -> each.phase() == Phase.INIT)
        .map(each -> containers.getOrDefault(each.container(), UnitSet.NONE))
        .reduce(UnitSet.NONE, UnitSet::plus);
  }

  /** Where the last run knew the surplus of the pod's init containers. */
  Optional<DeviceUuid> initDevice(PodFacts pod) {
    return Optional.ofNullable(published.get(pod.uid()))
        .flatMap(before -> before.init().keySet().stream().findFirst());
  }
}
