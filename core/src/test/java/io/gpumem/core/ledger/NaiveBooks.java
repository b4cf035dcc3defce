package io.gpumem.core.ledger;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.world.Given;
import io.gpumem.core.world.World;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The books of a node worked out the long way: plain loops over numbers without a limit, from what
 * the design says and not from how the code does it.
 */
final class NaiveBooks {

  private static final BigInteger LARGEST = BigInteger.valueOf(Long.MAX_VALUE);

  /** One container with a believed plan; {@code actual} is empty while it waits. */
  private record Slot(
      String order,
      String group,
      long units,
      Set<String> accepted,
      Map<DeviceUuid, Long> planned,
      Map<DeviceUuid, Long> actual) {

    boolean waits() {
      return actual.isEmpty();
    }
  }

  private final World world;
  private final Map<DeviceUuid, BigInteger> used = new TreeMap<>();
  private final List<Slot> slots = new ArrayList<>();
  private BigInteger unplaced = BigInteger.ZERO;

  NaiveBooks(World world) {
    this.world = world;
    for (PodFacts pod : world.pods()) {
      if (!holdsNothing(pod)) {
        book(pod);
      }
    }
    for (Map<DeviceUuid, Long> devices : world.node().allocations().names().values()) {
      take(devices);
    }
    slots.sort(Comparator.comparing(Slot::order));
    List<List<Slot>> groups = new ArrayList<>();
    for (String group : new TreeSet<>(slots.stream().map(Slot::group).toList())) {
      groups.add(slots.stream().filter(slot -> slot.group.equals(group)).toList());
    }
    groups.removeIf(group -> group.stream().noneMatch(Slot::waits));
    groups.sort(Comparator.comparing(NaiveBooks::firstWaiting));
    groups.sort(Comparator.comparing((List<Slot> group) -> group.getFirst().units).reversed());
    groups.forEach(this::place);
  }

  private static String firstWaiting(List<Slot> group) {
    return group.stream().filter(Slot::waits).map(Slot::order).findFirst().orElseThrow();
  }

  /** Units taken on a device; as the code, which stops there, at most the largest long. */
  long used(DeviceUuid device) {
    return used.getOrDefault(device, BigInteger.ZERO).min(LARGEST).longValueExact();
  }

  /** Units that are somewhere on this node, nobody knows where. */
  long unplaced() {
    return unplaced.min(LARGEST).longValueExact();
  }

  long free(Device device) {
    BigInteger taken = used.getOrDefault(device.uuid(), BigInteger.ZERO).add(unplaced);
    return big(device.units()).subtract(taken).max(BigInteger.ZERO).longValueExact();
  }

  private static BigInteger big(long units) {
    return BigInteger.valueOf(units);
  }

  private static BigInteger sum(Map<DeviceUuid, Long> amounts) {
    BigInteger sum = BigInteger.ZERO;
    for (long units : amounts.values()) {
      sum = sum.add(big(units));
    }
    return sum;
  }

  private void take(Map<DeviceUuid, Long> amounts) {
    amounts.forEach((device, units) -> used.merge(device, big(units), BigInteger::add));
  }

  private PodAllocation entry(PodFacts pod) {
    return Optional.ofNullable(world.node().allocations().pods().get(pod.uid()))
        .orElseGet(() -> new PodAllocation(pod.name(), Map.of(), Map.of()));
  }

  /** Listed, shows no IDs; never of a pod with an init request. */
  private boolean holdsNothing(PodFacts pod) {
    return world.node().allocations().pods().containsKey(pod.uid())
        && entry(pod).containers().isEmpty()
        && entry(pod).init().isEmpty()
        && !asksInInit(pod);
  }

  private static boolean asksInInit(PodFacts pod) {
    return pod.demand().containers().stream().anyMatch(each -> each.phase() == Phase.INIT);
  }

  /** The peak over the phases: each init container with the sidecars before it, then the rest. */
  private static BigInteger footprint(PodFacts pod) {
    BigInteger peak = BigInteger.ZERO;
    List<ContainerDemand> containers = pod.demand().containers();
    for (int now = 0; now <= containers.size(); now++) {
      BigInteger running = BigInteger.ZERO;
      for (int i = 0; i < containers.size(); i++) {
        Phase phase = containers.get(i).phase();
        boolean runs =
            switch (phase) {
              case INIT -> i == now;
              case SIDECAR -> i <= now;
              case APP -> now == containers.size();
            };
        running = running.add(runs ? big(containers.get(i).units()) : BigInteger.ZERO);
      }
      peak = peak.max(running);
    }
    return peak.min(LARGEST);
  }

  private void book(PodFacts pod) {
    PodAllocation entry = entry(pod);
    BigInteger known = sum(entry.init());
    take(entry.init());
    for (Map<DeviceUuid, Long> devices : entry.containers().values()) {
      known = known.add(sum(devices));
      take(devices);
    }
    Optional<Reservation> plan = pod.reservation().understood().filter(it -> isBelieved(it, pod));
    if (asksInInit(pod)) {
      Optional<DeviceUuid> home =
          most(entry.containers())
              .or(() -> most(Map.of("init", entry.init())))
              .or(() -> plan.flatMap(it -> most(it.containers())));
      bookRest(pod, known, home);
      return;
    }
    for (ContainerDemand container : pod.demand().containers()) {
      Map<DeviceUuid, Long> actual =
          entry.containers().getOrDefault(container.container(), Map.of());
      known = known.add(actual.isEmpty() ? big(container.units()) : BigInteger.ZERO);
      if (plan.isPresent()) {
        slots.add(slot(pod, container, plan.get(), actual));
      } else if (actual.isEmpty()) {
        unplaced = unplaced.add(big(container.units()));
      }
    }
    if (most(entry.containers()).isPresent()) {
      bookRest(pod, known, most(entry.containers()));
    }
  }

  /** What the footprint has beyond what is known goes onto one device, or nobody knows where. */
  private void bookRest(PodFacts pod, BigInteger known, Optional<DeviceUuid> device) {
    BigInteger rest = footprint(pod).subtract(known).max(BigInteger.ZERO);
    if (device.isPresent()) {
      take(Map.of(device.get(), rest.longValueExact()));
    } else {
      unplaced = unplaced.add(rest);
    }
  }

  /** The device with the most units, of equal ones the first. */
  private static Optional<DeviceUuid> most(Map<String, Map<DeviceUuid, Long>> containers) {
    Map<DeviceUuid, BigInteger> sums = new TreeMap<>();
    for (Map<DeviceUuid, Long> devices : containers.values()) {
      devices.forEach((device, units) -> sums.merge(device, big(units), BigInteger::add));
    }
    Optional<DeviceUuid> most = Optional.empty();
    BigInteger best = BigInteger.ZERO;
    for (Map.Entry<DeviceUuid, BigInteger> each : sums.entrySet()) {
      if (each.getValue().min(LARGEST).compareTo(best) > 0) {
        best = each.getValue().min(LARGEST);
        most = Optional.of(each.getKey());
      }
    }
    return most;
  }

  private boolean isBelieved(Reservation plan, PodFacts pod) {
    Set<String> asked = new TreeSet<>();
    Set<DeviceUuid> devices = new TreeSet<>();
    boolean right = plan.uid().equals(pod.uid()) && plan.node().equals(Given.NODE);
    for (ContainerDemand container : pod.demand().containers()) {
      Map<DeviceUuid, Long> place = plan.containers().getOrDefault(container.container(), Map.of());
      asked.add(container.container());
      devices.addAll(place.keySet());
      right &= place.size() == plan.choice().devices();
      for (long units : place.values()) {
        right &= big(units).multiply(big(place.size())).equals(big(container.units()));
      }
    }
    for (DeviceUuid device : devices) {
      right &= accepted(plan).contains(device.text());
    }
    right &= plan.containers().keySet().equals(asked);
    return right && (!asksInInit(pod) || devices.size() == 1);
  }

  private Set<String> accepted(Reservation plan) {
    Set<String> accepted = new TreeSet<>();
    for (Device device : world.node().inventory().devices()) {
      Set<String> models = plan.choice().models();
      if (models.isEmpty() || models.contains(device.model())) {
        accepted.add(device.uuid().text());
      }
    }
    return accepted;
  }

  private Slot slot(
      PodFacts pod, ContainerDemand container, Reservation plan, Map<DeviceUuid, Long> actual) {
    Set<String> accepted = accepted(plan);
    String group = container.units() + " on " + plan.choice().devices() + " of " + accepted;
    Map<DeviceUuid, Long> planned = plan.containers().getOrDefault(container.container(), Map.of());
    String order = pod.uid() + " " + container.container();
    return new Slot(order, group, container.units(), accepted, planned, actual);
  }

  /** Equals share their places; who was served used up the place where it is. */
  private void place(List<Slot> group) {
    List<Slot> served = group.stream().filter(slot -> !slot.waits()).toList();
    List<Slot> waiting = group.stream().filter(Slot::waits).toList();
    List<Map<DeviceUuid, Long>> left = new ArrayList<>();
    served.forEach(slot -> left.add(slot.planned));
    waiting.forEach(slot -> left.add(slot.planned));
    served.forEach(slot -> left.remove(slot.actual));
    List<Slot> homeless = new ArrayList<>();
    for (Slot slot : waiting) {
      if (left.remove(slot.planned) && hasRoom(slot.planned)) {
        take(slot.planned);
      } else {
        homeless.add(slot);
      }
    }
    for (Slot slot : homeless) {
      Map<DeviceUuid, Long> place = placeOf(slot, left);
      left.remove(place);
      take(place);
    }
  }

  /** A vacant place with room, else its own with room, else whatever has room, else its own. */
  private Map<DeviceUuid, Long> placeOf(Slot slot, List<Map<DeviceUuid, Long>> left) {
    for (Map<DeviceUuid, Long> vacant : left) {
      if (hasRoom(vacant)) {
        return vacant;
      }
    }
    if (hasRoom(slot.planned)) {
      return slot.planned;
    }
    long share = slot.units / slot.planned.size();
    Map<DeviceUuid, Long> anywhere = new TreeMap<>();
    for (Device device : world.node().inventory().devices()) {
      boolean open =
          device.health().isHealthy() && !world.node().cordoned().contains(device.uuid());
      boolean usable = open && slot.accepted.contains(device.uuid().text());
      if (usable && anywhere.size() < slot.planned.size() && free(device, share)) {
        anywhere.put(device.uuid(), share);
      }
    }
    return anywhere.size() == slot.planned.size() ? anywhere : slot.planned;
  }

  private boolean hasRoom(Map<DeviceUuid, Long> place) {
    boolean room = true;
    for (Device device : world.node().inventory().devices()) {
      room &=
          free(device, place.getOrDefault(device.uuid(), 0L)) || !place.containsKey(device.uuid());
    }
    return room;
  }

  private boolean free(Device device, long units) {
    BigInteger sum = used.getOrDefault(device.uuid(), BigInteger.ZERO).add(big(units));
    return sum.compareTo(big(device.units())) <= 0;
  }
}
