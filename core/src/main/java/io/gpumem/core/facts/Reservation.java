package io.gpumem.core.facts;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Demand;
import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * The extender's plan for one pod, written in the Binding itself: container to devices to units,
 * ordinary init containers included, and the choice of devices as it was at bind. It says
 * <em>where</em> and never <em>how much</em>: amounts come from the pod's spec.
 */
public record Reservation(
    PodUid uid, NodeName node, DeviceChoice choice, Map<String, Map<DeviceUuid, Long>> containers) {

  public Reservation {
    containers = Amounts.copy(containers);
  }

  /** Why a reservation is not believed; its pod is then treated as if it had none. */
  public enum Distrust {
    OTHER_UID,
    OTHER_NODE,
    UNKNOWN_DEVICE,
    OTHER_AMOUNTS
  }

  /**
   * Checks the plan against what is known: it must name this pod, this node, devices of this node,
   * and exactly what the spec asks. Anybody who may edit the pod may have written it.
   */
  public Optional<Distrust> distrust(PodUid pod, NodeName on, Demand demand, Inventory inventory) {
    if (!uid.equals(pod)) {
      return Optional.of(Distrust.OTHER_UID);
    }
    if (!node.equals(on)) {
      return Optional.of(Distrust.OTHER_NODE);
    }
    Set<DeviceUuid> all = new TreeSet<>();
    for (Map<DeviceUuid, Long> devices : containers.values()) {
      all.addAll(devices.keySet());
    }
    for (DeviceUuid device : all) {
      Optional<Device> known = inventory.device(device);
      if (known.isEmpty() || !choice.accepts(known.get())) {
        return Optional.of(Distrust.UNKNOWN_DEVICE);
      }
    }
    boolean spread = demand.hasOrdinaryInit() && all.size() > 1;
    return spread || !asks(demand) ? Optional.of(Distrust.OTHER_AMOUNTS) : Optional.empty();
  }

  private boolean asks(Demand demand) {
    if (containers.size() != demand.containers().size()) {
      return false;
    }
    for (ContainerDemand container : demand.containers()) {
      Map<DeviceUuid, Long> devices = containers.getOrDefault(container.container(), Map.of());
      OptionalLong share = share(container.units(), choice.devices());
      boolean equalShares =
          share.isPresent()
              && devices.size() == choice.devices()
              && devices.values().stream().allMatch(units -> units == share.getAsLong());
      if (!equalShares) {
        return false;
      }
    }
    return true;
  }

  /** What each of n devices gives of a container's units; empty when it is no whole number. */
  public static OptionalLong share(long units, int devices) {
    return units % devices == 0 ? OptionalLong.of(units / devices) : OptionalLong.empty();
  }
}
