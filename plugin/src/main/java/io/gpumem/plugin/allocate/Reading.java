package io.gpumem.plugin.allocate;

import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.PodName;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What PodResources said of one pod name.
 *
 * @param containers the device IDs of our resource by container; containers without any are absent
 * @param begunNanos when the call began: the table may have changed since
 */
public record Reading(PodName name, Map<String, Set<DeviceId>> containers, long begunNanos) {

  public Reading {
    Map<String, Set<DeviceId>> copy = new HashMap<>();
    containers.forEach(
        (container, ids) -> {
          if (!ids.isEmpty()) {
            copy.put(container, UnitSet.copyOf(ids));
          }
        });
    containers = Map.copyOf(copy);
  }

  /** As {@link #containers}. */
  Map<String, UnitSet> units() {
    Map<String, UnitSet> units = new HashMap<>();
    containers.forEach((container, ids) -> units.put(container, UnitSet.copyOf(ids)));
    return units;
  }

  /** The IDs of all containers. */
  public UnitSet ids() {
    UnitSet all = UnitSet.NONE;
    for (Set<DeviceId> ids : containers.values()) {
      all = all.plus(UnitSet.copyOf(ids));
    }
    return all;
  }
}
