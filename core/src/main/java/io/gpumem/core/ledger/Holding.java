package io.gpumem.core.ledger;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.units.Units;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What one pod takes of a node's devices.
 *
 * @param uid empty for a holder that the kubelet shows under a name of no live pod
 * @param allocated what the kubelet has given, as PodResources shows it
 * @param reserved what is planned and not yet given
 * @param surplus what an ordinary init container holds beyond the main phase
 * @param unplaced what the pod asks where nobody knows yet on which device: it is taken off every
 *     device of the node until the truth is known
 */
public record Holding(
    Optional<PodUid> uid,
    PodName name,
    Map<DeviceUuid, Long> allocated,
    Map<DeviceUuid, Long> reserved,
    Map<DeviceUuid, Long> surplus,
    long unplaced)
    implements Comparable<Holding> {

  public Holding {
    allocated = Units.copy(allocated);
    reserved = Units.copy(reserved);
    surplus = Units.copy(surplus);
    requireNoneBelowZero(allocated.values());
    requireNoneBelowZero(reserved.values());
    requireNoneBelowZero(surplus.values());
    requireNoneBelowZero(List.of(unplaced));
  }

  private static void requireNoneBelowZero(Collection<Long> amounts) {
    for (long units : amounts) {
      if (units < 0) {
        throw new IllegalArgumentException("expected units from 0 but was " + units);
      }
    }
  }

  /** Who holds: unique in a ledger, also between pods and unknown holders of the same name. */
  public String holder() {
    return uid.map(known -> "uid:" + known).orElseGet(() -> "name:" + name);
  }

  /** All units on devices, by device; {@link #unplaced} is apart. */
  public Map<DeviceUuid, Long> devices() {
    Map<DeviceUuid, Long> devices = new TreeMap<>(allocated);
    Units.add(devices, reserved);
    Units.add(devices, surplus);
    return devices;
  }

  @Override
  public int compareTo(Holding other) {
    return holder().compareTo(other.holder());
  }
}
