package io.gpumem.plugin.allocate;

import io.gpumem.core.units.PodUid;
import java.util.HashMap;
import java.util.Map;

/**
 * To which pod each device ID belongs that the kubelet shows under that pod's name. No ID has two
 * owners. Mutable, not thread-safe: {@link Table} owns it.
 */
final class Owners {

  private final Map<PodUid, UnitSet> owned = new HashMap<>();

  /** Gives a pod those of these IDs that nobody owns. */
  void addUnowned(PodUid pod, UnitSet ids) {
    UnitSet unowned = ids;
    for (UnitSet each : owned.values()) {
      unowned = unowned.minus(each);
    }
    add(pod, unowned);
  }

  /** Gives a pod these IDs, whoever owned them before. */
  void give(PodUid pod, UnitSet ids) {
    remove(ids);
    add(pod, ids);
  }

  private void add(PodUid pod, UnitSet ids) {
    if (!ids.isEmpty()) {
      owned.merge(pod, ids, UnitSet::plus);
    }
  }

  void remove(UnitSet ids) {
    owned.replaceAll((pod, units) -> units.minus(ids));
    owned.values().removeIf(UnitSet::isEmpty);
  }

  /** Whether all of these IDs are this pod's; true of none. */
  boolean isOwner(PodUid pod, UnitSet ids) {
    return owned.getOrDefault(pod, UnitSet.NONE).containsAll(ids);
  }
}
