package io.gpumem.plugin.kubelet.fake;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The devices that a pod's ordinary init containers held and its later containers may take. Only
 * the pod that was looked at last has a pool: another pod's is dropped, as in the kubelet.
 */
final class ReusePools {
  private final Map<String, Map<String, Set<String>>> pools = new HashMap<>();

  synchronized void enter(String podUid) {
    pools.keySet().retainAll(Set.of(podUid));
    pools.computeIfAbsent(podUid, _ -> new HashMap<>());
  }

  synchronized Set<String> devices(String podUid, String resource) {
    return Set.copyOf(pools.getOrDefault(podUid, Map.of()).getOrDefault(resource, Set.of()));
  }

  /** After a container got its devices: an init container's go in, any other's go out. */
  synchronized void leave(
      String podUid, KubeletContainer.Kind kind, Map<String, Allocation> allocations) {
    Map<String, Set<String>> pool = pools.computeIfAbsent(podUid, _ -> new HashMap<>());
    allocations.forEach(
        (resource, allocation) -> {
          Set<String> ids = pool.computeIfAbsent(resource, _ -> new HashSet<>());
          switch (kind) {
            case INIT -> ids.addAll(allocation.ids());
            case SIDECAR, APP -> ids.removeAll(allocation.ids());
          }
        });
  }
}
