package io.gpumem.plugin.allocate;

import io.gpumem.core.demand.Phase;
import io.gpumem.core.ledger.Outstanding;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.units.Units;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Which requests our answers have served. An answer has no pod's name, so it stands for the first
 * outstanding request of its size, whose equals it may be swapped with. Pure.
 *
 * @param containers what the table will show of each pod once it shows our answers
 * @param twice what of it the table shows already, under a name that no live pod has
 */
record Served(
    Map<PodUid, Map<String, Map<DeviceUuid, Long>>> containers, Map<DeviceUuid, Long> twice) {

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
   * What these answers were for.
   *
   * @param shows whether the table shows IDs under any name
   */
  static Served of(List<Answer> answers, List<Outstanding> outstanding, Predicate<UnitSet> shows) {
    List<Outstanding> waiting = new ArrayList<>(outstanding);
    Map<PodUid, Map<String, Map<DeviceUuid, Long>>> containers = new HashMap<>();
    Map<DeviceUuid, Long> twice = new HashMap<>();
    for (Answer answer : answers) {
      Map<DeviceUuid, Long> devices = answer.ids().counts();
      Optional<Outstanding> served = by(devices, waiting);
      if (served.isEmpty()) {
        continue;
      }
      waiting.remove(served.get());
      if (shows.test(answer.ids())) {
        Units.add(twice, devices);
      }
      if (served.get().phase() != Phase.INIT) {
        containers
            .computeIfAbsent(served.get().pod(), pod -> new TreeMap<>())
            .put(served.get().container(), devices);
      }
    }
    return new Served(containers, twice);
  }

  /** These unknown holders without what is counted for a pod by our answer already. */
  Map<PodName, Map<DeviceUuid, Long>> without(Map<PodName, Map<DeviceUuid, Long>> names) {
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
}
