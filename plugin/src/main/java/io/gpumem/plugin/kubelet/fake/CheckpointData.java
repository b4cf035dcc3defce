package io.gpumem.plugin.kubelet.fake;

import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the kubelet remembers over a restart: each container's devices, and which resources existed.
 * Of the registered devices only the resource's name is ever read back.
 */
public record CheckpointData(
    List<PodDevicesEntry> podDeviceEntries,
    SortedMap<String, SortedSet<String>> registeredDevices) {

  /** A kubelet that remembers nothing. */
  public static final CheckpointData EMPTY = new CheckpointData(List.of(), new TreeMap<>());

  /** One container's devices of one resource; the keys are NUMA nodes, −1 for "none". */
  public record PodDevicesEntry(
      String podUid,
      String containerName,
      String resourceName,
      SortedMap<Long, SortedSet<String>> deviceIds,
      ContainerAllocateResponse allocateResponse) {}

  public CheckpointData {
    podDeviceEntries = List.copyOf(podDeviceEntries);
    SortedMap<String, SortedSet<String>> copy = new TreeMap<>();
    registeredDevices.forEach((resource, ids) -> copy.put(resource, new TreeSet<>(ids)));
    registeredDevices = Collections.unmodifiableSortedMap(copy);
  }

  /** Device IDs of the resource by pod UID and container. */
  Map<String, Map<String, Set<String>>> holders(String resource) {
    Map<String, Map<String, Set<String>>> holders = new TreeMap<>();
    for (PodDevicesEntry entry : podDeviceEntries) {
      if (entry.resourceName().equals(resource)) {
        Set<String> ids =
            holders
                .computeIfAbsent(entry.podUid(), uid -> new TreeMap<>())
                .computeIfAbsent(entry.containerName(), container -> new TreeSet<>());
        entry.deviceIds().values().forEach(ids::addAll);
      }
    }
    return holders;
  }
}
