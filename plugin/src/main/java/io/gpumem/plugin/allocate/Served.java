package io.gpumem.plugin.allocate;

import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.ledger.Outstanding;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.units.Units;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Which requests our answers have served. An answer has no pod's name, so it stands for the first
 * outstanding request of its size, whose equals it may be swapped with. Pure.
 */
final class Served {

  private Served() {}

  /** The request that a call with these devices was for: by size, best by place, first in order. */
  static Optional<Outstanding> by(Map<DeviceUuid, Long> devices, List<Outstanding> waiting) {
    long units = Units.total(devices);
    List<Outstanding> sized =
        waiting.stream().filter(each -> each.likeness().units() == units).toList();
    return sized.stream()
        .filter(each -> each.devices().equals(devices))
        .findFirst()
        .or(() -> sized.stream().findFirst());
  }

  /**
   * The table as it will be once it shows what we have answered under the pods that it was for.
   *
   * @param shows whether the table shows IDs under any name
   */
  static Allocations allocations(
      Allocations shown,
      List<Outstanding> outstanding,
      List<Answer> answers,
      Predicate<Set<DeviceId>> shows) {
    Map<PodUid, PodAllocation> pods = new TreeMap<>(shown.pods());
    List<Outstanding> waiting = new ArrayList<>(outstanding);
    Map<DeviceUuid, Long> twice = new HashMap<>();
    for (Answer answer : answers) {
      Map<DeviceUuid, Long> devices = Table.count(answer.ids());
      Optional<Outstanding> served = by(devices, waiting);
      if (served.isEmpty()) {
        continue;
      }
      waiting.remove(served.get());
      if (shows.test(answer.ids())) {
        Units.add(twice, devices);
      }
      if (served.get().phase() != Phase.INIT) {
        pods.merge(
            served.get().pod(),
            new PodAllocation(
                served.get().name(), Map.of(served.get().container(), devices), Map.of()),
            Served::merged);
      }
    }
    return new Allocations(pods, without(shown.names(), twice));
  }

  /** What is shown under a name of no live pod, and is counted for a pod by our answer already. */
  private static Map<PodName, Map<DeviceUuid, Long>> without(
      Map<PodName, Map<DeviceUuid, Long>> names, Map<DeviceUuid, Long> twice) {
    Map<DeviceUuid, Long> left = new HashMap<>(twice);
    Map<PodName, Map<DeviceUuid, Long>> rest = new TreeMap<>();
    names.forEach(
        (name, devices) -> {
          Map<DeviceUuid, Long> kept = new TreeMap<>();
          devices.forEach(
              (device, units) -> {
                long taken = Math.min(units, left.getOrDefault(device, 0L));
                left.merge(device, -taken, Long::sum);
                if (units > taken) {
                  kept.put(device, units - taken);
                }
              });
          if (!kept.isEmpty()) {
            rest.put(name, kept);
          }
        });
    return rest;
  }

  private static PodAllocation merged(PodAllocation left, PodAllocation right) {
    Map<String, Map<DeviceUuid, Long>> containers = new TreeMap<>(left.containers());
    containers.putAll(right.containers());
    return new PodAllocation(left.name(), containers, left.init());
  }
}
