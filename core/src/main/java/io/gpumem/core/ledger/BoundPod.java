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
 * unplaced. Amounts come from the spec: an entry that shows less is filled up to the footprint, on
 * the device that it shows, and what the spec asks beyond the sum of the containers is the init
 * surplus.
 */
record BoundPod(
    PodFacts facts, Optional<PodAllocation> allocation, Optional<Reservation> reservation) {

  /**
   * Whether the kubelet started the pod without a device. That can't be seen of a pod with an
   * ordinary init request, which PodResources never shows.
   */
  boolean holdsNothing() {
    return !facts.demand().isNone()
        && !facts.demand().hasOrdinaryInit()
        && allocation.map(PodAllocation::holdsNothing).orElse(false);
  }

  /** Whether the kubelet is known to have given the pod anything. */
  private boolean isBegun() {
    return !shownByDevice().isEmpty() || !init().isEmpty();
  }

  /** The containers that have a believed plan, in the order in which the kubelet admits them. */
  List<ContainerDemand> reservedContainers() {
    return reservation.isEmpty() ? List.of() : facts.demand().containers();
  }

  /** What the kubelet's table shows for a container; empty when it shows nothing. */
  Optional<Map<DeviceUuid, Long>> shown(ContainerDemand container) {
    return allocation
        .map(known -> known.containers().get(container.container()))
        .filter(devices -> !devices.isEmpty());
  }

  /**
   * Whether a call of Allocate for this container is still to come. The kubelet admits a pod's
   * containers in one go, in the order of the spec, and never shows ordinary init containers. Those
   * have been served once anything of the pod is known to be given, unless that is a sidecar which
   * comes before them and nothing shows that comes after.
   */
  boolean isOutstanding(ContainerDemand container) {
    if (holdsNothing()) {
      return false;
    }
    return NodeBooks.isShown(container.phase())
        ? shown(container).isEmpty()
        : !isBegun() || isBetweenSidecars(container);
  }

  private boolean isBetweenSidecars(ContainerDemand init) {
    List<ContainerDemand> all = facts.demand().containers();
    int at = all.indexOf(init);
    List<ContainerDemand> after =
        all.subList(at, all.size()).stream()
            .filter(each -> NodeBooks.isShown(each.phase()))
            .toList();
    return !after.isEmpty()
        && after.stream().allMatch(each -> shown(each).isEmpty())
        && all.subList(0, at).stream().anyMatch(each -> shown(each).isPresent());
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
    Map<DeviceUuid, Long> shown = shownByDevice();
    Map<DeviceUuid, Long> reserved = new TreeMap<>();
    long unplaced = 0;
    long known = Units.sum(Units.total(shown), Units.total(init()));
    for (ContainerDemand container : facts.demand().containers()) {
      if (shown(container).isPresent()) {
        continue;
      }
      known = Units.sum(known, container.units());
      if (reservation.isPresent()) {
        Units.add(reserved, place.apply(container));
      } else {
        unplaced = Units.sum(unplaced, container.units());
      }
    }
    Map<DeviceUuid, Long> surplus = new TreeMap<>(init());
    Units.add(surplus, missing(known, largest(shown)));
    return with(shown, reserved, surplus, unplaced);
  }

  /** A pod with an ordinary init container that asks: its whole footprint is on one device. */
  private Holding onOneDevice() {
    Map<DeviceUuid, Long> shown = shownByDevice();
    long known = Units.sum(Units.total(shown), Units.total(init()));
    Map<DeviceUuid, Long> rest = missing(known, device());
    if (device().isEmpty()) {
      return with(shown, Map.of(), Map.of(), facts.demand().footprint());
    }
    if (!isBegun()) {
      return with(shown, rest, Map.of(), 0);
    }
    Map<DeviceUuid, Long> surplus = new TreeMap<>(init());
    Units.add(surplus, rest);
    return with(shown, Map.of(), surplus, 0);
  }

  /** The device of a pod whose containers must all be on one; empty while nobody knows it. */
  Optional<DeviceUuid> device() {
    return largest(shownByDevice())
        .or(() -> largest(init()))
        .or(() -> reservation.flatMap(plan -> firstDevice(plan)));
  }

  /** What the footprint has beyond the units that are known, on that device. */
  private Map<DeviceUuid, Long> missing(long known, Optional<DeviceUuid> device) {
    long missing = facts.demand().footprint() - known;
    return device.isPresent() && missing > 0 ? Map.of(device.get(), missing) : Map.of();
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
