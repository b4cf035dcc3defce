package io.gpumem.plugin.kubelet.fake;

import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What one container holds of one resource: the device IDs under each NUMA node of the device
 * ({@link #NO_NUMA_NODE} if it has none), and the plugin's whole answer, replayed at each start.
 */
record Allocation(
    SortedMap<Long, SortedSet<String>> idsByNuma, ContainerAllocateResponse response) {

  /** The kubelet's own key for devices without a NUMA node. */
  static final long NO_NUMA_NODE = -1;

  Allocation {
    SortedMap<Long, SortedSet<String>> copy = new TreeMap<>();
    idsByNuma.forEach(
        (node, ids) -> copy.put(node, Collections.unmodifiableSortedSet(new TreeSet<>(ids))));
    idsByNuma = Collections.unmodifiableSortedMap(copy);
  }

  /** The union over the NUMA nodes: a device with two nodes counts once. */
  SortedSet<String> ids() {
    SortedSet<String> ids = new TreeSet<>();
    idsByNuma.values().forEach(ids::addAll);
    return ids;
  }
}
