package io.gpumem.plugin.kubelet.fake;

import io.gpumem.proto.podresources.v1.AllocatableResourcesResponse;
import io.gpumem.proto.podresources.v1.ContainerDevices;
import io.gpumem.proto.podresources.v1.ContainerResources;
import io.gpumem.proto.podresources.v1.NUMANode;
import io.gpumem.proto.podresources.v1.PodResources;
import io.gpumem.proto.podresources.v1.TopologyInfo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The table as the pod resources interface tells it: no ordinary init containers, one device ID an
 * entry in random order, and the entry once more for each further NUMA node of the device.
 */
final class PodResourcesView {
  private final DeviceTable table;
  private final Random random;

  PodResourcesView(DeviceTable table, Random random) {
    this.table = table;
    this.random = random;
  }

  PodResources of(KubeletPod pod) {
    PodResources.Builder resources =
        PodResources.newBuilder().setName(pod.name()).setNamespace(pod.namespace());
    for (KubeletContainer container : pod.containers()) {
      if (container.kind() != KubeletContainer.Kind.INIT) {
        resources.addContainers(
            ContainerResources.newBuilder()
                .setName(container.name())
                .addAllDevices(devices(pod.uid(), container.name())));
      }
    }
    return resources.build();
  }

  AllocatableResourcesResponse allocatable() {
    List<ContainerDevices> entries = new ArrayList<>();
    table
        .healthyDevices()
        .forEach(
            (resource, devices) ->
                devices.forEach(
                    device ->
                        DeviceTable.numaNodes(device)
                            .forEach(node -> entries.add(entry(resource, device.getID(), node)))));
    Collections.shuffle(entries, random);
    return AllocatableResourcesResponse.newBuilder().addAllDevices(entries).build();
  }

  private List<ContainerDevices> devices(String uid, String container) {
    List<ContainerDevices> entries = new ArrayList<>();
    table
        .allocations(uid, container)
        .forEach(
            (resource, allocation) ->
                allocation
                    .idsByNuma()
                    .forEach(
                        (node, ids) -> ids.forEach(id -> entries.add(entry(resource, id, node)))));
    Collections.shuffle(entries, random);
    return entries;
  }

  private static ContainerDevices entry(String resource, String id, long node) {
    ContainerDevices.Builder entry =
        ContainerDevices.newBuilder().setResourceName(resource).addDeviceIds(id);
    if (node != Allocation.NO_NUMA_NODE) {
      entry.setTopology(TopologyInfo.newBuilder().addNodes(NUMANode.newBuilder().setID(node)));
    }
    return entry.build();
  }
}
