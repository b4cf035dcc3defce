package io.gpumem.core.ledger;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Units;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A pod of a node with what the kubelet has given it and the plan that is believed, and the rule of
 * what it holds: container by container what PodResources shows, else its place in the plan, else
 * unplaced; and beyond the sum of the containers the init surplus.
 */
record BoundPod(
    PodFacts facts, Optional<PodAllocation> allocation, Optional<Reservation> reservation) {

  boolean holdsNothing() {
    return !facts.demand().isNone() && allocation.map(PodAllocation::holdsNothing).orElse(false);
  }

  /** The containers that have a believed plan, in the order in which the kubelet admits them. */
  List<ContainerDemand> reservedContainers() {
    return reservation.isEmpty() ? List.of() : facts.demand().containers();
  }

  /** What the kubelet's table shows for a container; empty when it shows nothing. */
  Optional<Map<DeviceUuid, Long>> shown(ContainerDemand container) {
    return allocation.map(known -> known.containers().get(container.container()));
  }

  /**
   * Whether a call of Allocate for this container is still to come. The kubelet admits a pod's
   * containers in one go, ordinary init containers first and never shown: once anything of the pod
   * is known to be given, those have been served.
   */
  boolean isOutstanding(ContainerDemand container) {
    if (holdsNothing()) {
      return false;
    }
    boolean begun = allocation.isPresent();
    if (!NodeBooks.isShown(container.phase())) {
      return !begun;
    }
    return shown(container).isEmpty();
  }

  /**
   * What this pod holds.
   *
   * @param place where the plan puts a container now, which need not be where it was reserved
   */
  Holding holding(Function<ContainerDemand, Map<DeviceUuid, Long>> place) {
    if (holdsNothing()) {
      return with(Map.of(), Map.of(), Map.of(), 0);
    }
    return facts.demand().hasOrdinaryInit() ? onOneDevice() : byContainer(place);
  }

  private Holding byContainer(Function<ContainerDemand, Map<DeviceUuid, Long>> place) {
    Map<DeviceUuid, Long> reserved = new TreeMap<>();
    long unplaced = 0;
    for (ContainerDemand container : facts.demand().containers()) {
      if (shown(container).isPresent()) {
        continue;
      }
      if (reservation.isPresent()) {
        Units.add(reserved, place.apply(container));
      } else {
        unplaced = Units.sum(unplaced, container.units());
      }
    }
    return with(shownByDevice(), reserved, init(), unplaced);
  }

  /** A pod with an ordinary init container that asks: its whole footprint is on one device. */
  private Holding onOneDevice() {
    Map<DeviceUuid, Long> shown = shownByDevice();
    Optional<DeviceUuid> device =
        largest(shown)
            .or(() -> largest(init()))
            .or(() -> reservation.flatMap(plan -> firstDevice(plan)));
    long rest = Math.max(0, facts.demand().footprint() - Units.total(shown));
    if (device.isEmpty()) {
      return with(shown, Map.of(), Map.of(), rest);
    }
    Map<DeviceUuid, Long> remainder = rest == 0 ? Map.of() : Map.of(device.get(), rest);
    boolean begun = allocation.isPresent();
    return begun
        ? with(shown, Map.of(), Units.larger(remainder, init()), 0)
        : with(shown, remainder, Map.of(), 0);
  }

  private Holding with(
      Map<DeviceUuid, Long> allocated,
      Map<DeviceUuid, Long> reserved,
      Map<DeviceUuid, Long> surplus,
      long unplaced) {
    return new Holding(
        Optional.of(facts.uid()), facts.name(), allocated, reserved, surplus, unplaced);
  }

  private Map<DeviceUuid, Long> shownByDevice() {
    return allocation.map(PodAllocation::shown).orElse(Map.of());
  }

  private Map<DeviceUuid, Long> init() {
    return allocation.map(PodAllocation::init).orElse(Map.of());
  }

  private static Optional<DeviceUuid> largest(Map<DeviceUuid, Long> amounts) {
    return amounts.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
  }

  private static Optional<DeviceUuid> firstDevice(Reservation plan) {
    return plan.containers().values().stream()
        .flatMap(devices -> devices.keySet().stream())
        .findFirst();
  }
}
