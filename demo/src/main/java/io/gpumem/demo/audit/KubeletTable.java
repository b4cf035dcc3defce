package io.gpumem.demo.audit;

import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.demo.world.PlayedNode;
import io.gpumem.demo.world.PodState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A kubelet's own table, of the pods that are still there: what ended pods held is free, though the
 * kubelet sweeps it out only at the next admission. An ID counts once for a pod, since its later
 * containers reuse what an init container held.
 *
 * @param pods pod UID to container to IDs
 */
record KubeletTable(
    SortedMap<String, SortedMap<String, List<DeviceId>>> pods, List<String> differences) {

  static KubeletTable of(PlayedNode node, List<PodState> all) {
    var inner = node.kubelet().table();
    SortedMap<String, SortedMap<String, List<DeviceId>>> pods = new TreeMap<>();
    Map<DeviceId, String> holders = new HashMap<>();
    List<String> differences = new ArrayList<>();
    for (PodState pod : all) {
      if (!pod.node().equals(node.name()) || pod.isFailed() || !inner.containsKey(pod.uid())) {
        continue;
      }
      SortedMap<String, List<DeviceId>> containers = Audit.ids(inner.get(pod.uid()));
      pods.put(pod.uid(), containers);
      for (List<DeviceId> ids : containers.values()) {
        for (DeviceId id : ids) {
          String other = holders.put(id, pod.name());
          if (other != null && !other.equals(pod.name())) {
            differences.add(id + " is held by " + other + " and by " + pod.name());
          }
        }
      }
    }
    return new KubeletTable(pods, differences);
  }

  long units(DeviceUuid device) {
    return pods.values().stream()
        .flatMap(containers -> containers.values().stream().flatMap(List::stream))
        .filter(id -> id.device().equals(device))
        .distinct()
        .count();
  }

  int containers() {
    return pods.values().stream().mapToInt(Map::size).sum();
  }
}
