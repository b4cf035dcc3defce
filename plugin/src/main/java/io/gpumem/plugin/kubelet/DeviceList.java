package io.gpumem.plugin.kubelet;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceId;
import io.gpumem.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import io.gpumem.proto.deviceplugin.v1beta1.NUMANode;
import io.gpumem.proto.deviceplugin.v1beta1.TopologyInfo;
import java.util.Set;

/**
 * The list that the kubelet is told: one device of its kind for each unit of memory. Pure.
 *
 * <p>Of a bad device only the free IDs turn unhealthy. The kubelet subtracts unhealthy IDs from the
 * node's sum, so turning held ones would push allocatable below what pods already have and block
 * healthy devices; and a pod whose IDs are unhealthy is failed when the kubelet restarts. The
 * price: the pod's own status goes on calling its IDs healthy.
 */
public final class DeviceList {

  /** The kubelet compares with this word alone; any other means unhealthy. */
  static final String HEALTHY = "Healthy";

  static final String UNHEALTHY = "Unhealthy";

  private DeviceList() {}

  /**
   * @param held IDs that may be held by a pod
   * @param numaHints whether to tell the kubelet each device's NUMA node: it counts IDs per NUMA
   *     node and not per GPU, so this is safe only with topology policy none
   */
  public static ListAndWatchResponse of(
      Inventory inventory, Set<DeviceId> held, boolean numaHints) {
    ListAndWatchResponse.Builder list = ListAndWatchResponse.newBuilder();
    for (Device device : inventory.devices()) {
      for (int number = 0; number < device.units(); number++) {
        DeviceId id = new DeviceId(device.uuid(), number);
        boolean healthy = device.health().isHealthy() || held.contains(id);
        var entry =
            io.gpumem.proto.deviceplugin.v1beta1.Device.newBuilder()
                .setID(id.toString())
                .setHealth(healthy ? HEALTHY : UNHEALTHY);
        if (numaHints && device.numa().isPresent()) {
          NUMANode node = NUMANode.newBuilder().setID(device.numa().getAsInt()).build();
          entry.setTopology(TopologyInfo.newBuilder().addNodes(node));
        }
        list.addDevices(entry);
      }
    }
    return list.build();
  }
}
