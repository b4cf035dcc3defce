package io.gpumem.core.reservation;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Units;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which reserved places are still to be taken, and by whom, when the kubelet has served equal
 * requests in another order than they were reserved.
 *
 * <p><b>Goal.</b> Half a swap must not leave wrong books: P reserved on A and Q on B are equal, the
 * kubelet gave P a place on B, so what is left for Q is A. <b>Constraint.</b> Plugin and extender
 * must reach the same answer without talking, also after a restart, so it is a function of what is
 * booked on the node alone. <b>Algorithm.</b> Within one {@link Likeness} the places that were
 * reserved form a multiset. Each settled request uses up the place where it really is. Those still
 * outstanding keep their own place if it is left, and else take the places that are left over, both
 * in the order of pod UID and container. A place may have been left over for long, by a pod whose
 * partner in the swap has ended, and given away since: a request that was moved onto a device
 * without the room for it goes back to its own place if there is room.
 */
public final class Slots {

  private Slots() {}

  /** A request that the kubelet has served, with the devices that it really got. */
  public record Settled(Request request, Map<DeviceUuid, Long> actual) {}

  /**
   * For each outstanding request the devices on which it is to be booked now.
   *
   * @param taken all that is booked on the node beside the outstanding requests
   */
  public static Map<Request, Map<DeviceUuid, Long>> assign(
      Collection<Settled> settled,
      Collection<Request> outstanding,
      Inventory inventory,
      Map<DeviceUuid, Long> taken) {
    Map<Likeness, Group> groups = new HashMap<>();
    for (Settled each : settled) {
      groups.computeIfAbsent(each.request().likeness(), like -> new Group()).settled.add(each);
    }
    for (Request each : outstanding) {
      groups.computeIfAbsent(each.likeness(), like -> new Group()).outstanding.add(each);
    }
    Map<Request, Map<DeviceUuid, Long>> assigned = new TreeMap<>();
    groups.values().forEach(group -> group.assignInto(assigned));
    for (Request request : List.copyOf(assigned.keySet())) {
      Map<DeviceUuid, Long> moved = assigned.getOrDefault(request, request.reserved());
      if (!moved.equals(request.reserved()) && !fits(moved, assigned, inventory, taken)) {
        assigned.put(request, request.reserved());
        if (!fits(request.reserved(), assigned, inventory, taken)) {
          assigned.put(request, moved);
        }
      }
    }
    return assigned;
  }

  /** Whether the devices of a place bear all that is booked on them. */
  private static boolean fits(
      Map<DeviceUuid, Long> place,
      Map<Request, Map<DeviceUuid, Long>> assigned,
      Inventory inventory,
      Map<DeviceUuid, Long> taken) {
    Map<DeviceUuid, Long> booked = new HashMap<>(taken);
    assigned.values().forEach(each -> Units.add(booked, each));
    return place.keySet().stream()
        .allMatch(
            device -> {
              long units = inventory.device(device).map(Device::units).orElse(0L);
              return booked.getOrDefault(device, 0L) <= units;
            });
  }

  /** The requests of one likeness. */
  private static final class Group {
    private final List<Settled> settled = new ArrayList<>();
    private final List<Request> outstanding = new ArrayList<>();

    void assignInto(Map<Request, Map<DeviceUuid, Long>> assigned) {
      List<Map<DeviceUuid, Long>> places = new ArrayList<>();
      settled.stream().map(Settled::request).sorted().forEach(r -> places.add(r.reserved()));
      outstanding.stream().sorted().forEach(request -> places.add(request.reserved()));
      for (Settled each : settled) {
        places.remove(each.actual());
      }
      List<Request> homeless = new ArrayList<>();
      for (Request request : outstanding.stream().sorted().toList()) {
        if (places.remove(request.reserved())) {
          assigned.put(request, request.reserved());
        } else {
          homeless.add(request);
        }
      }
      for (Request request : homeless) {
        // A place is always left: each settled request brought one and used at most one.
        assigned.put(request, places.removeFirst());
      }
    }
  }
}
