package io.gpumem.core.facts;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The kubelet's table as the plugin publishes it: who holds how much of which device.
 *
 * @param pods holders that were matched to a live pod
 * @param names holders that could not be matched: PodResources knows names only, and this name is
 *     no live pod that asks these amounts
 */
public record Allocations(
    Map<PodUid, PodAllocation> pods, Map<PodName, Map<DeviceUuid, Long>> names) {

  public static final Allocations NONE = new Allocations(Map.of(), Map.of());

  public Allocations {
    pods = Collections.unmodifiableMap(new TreeMap<>(pods));
    Map<PodName, Map<DeviceUuid, Long>> copy = new TreeMap<>();
    names.forEach((name, devices) -> copy.put(name, Amounts.copyOfOne(devices)));
    names = Collections.unmodifiableMap(copy);
  }
}
