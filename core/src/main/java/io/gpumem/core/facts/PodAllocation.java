package io.gpumem.core.facts;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.Units;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the kubelet has given one pod, counted from the device IDs themselves.
 *
 * @param containers what PodResources shows, by container
 * @param init what the pod holds beyond that: PodResources does not show ordinary init containers,
 *     though the kubelet keeps what they held booked for the pod's life
 */
public record PodAllocation(
    PodName name, Map<String, Map<DeviceUuid, Long>> containers, Map<DeviceUuid, Long> init) {

  public PodAllocation {
    containers = Amounts.copy(containers);
    init = Amounts.copyOfOne(init);
  }

  /**
   * Whether the pod was seen to hold nothing although it asks for something: the kubelet started it
   * without a device, because the resource was not registered then.
   */
  public boolean holdsNothing() {
    return containers.isEmpty() && init.isEmpty();
  }

  /** Units by device, over the containers that PodResources shows. */
  public Map<DeviceUuid, Long> shown() {
    Map<DeviceUuid, Long> shown = new TreeMap<>();
    containers.values().forEach(devices -> Units.add(shown, devices));
    return shown;
  }
}
