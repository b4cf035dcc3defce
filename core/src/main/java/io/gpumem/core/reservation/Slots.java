package io.gpumem.core.reservation;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Units;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which reserved places are still to be taken, and by whom, when the kubelet has served equal
 * requests in another order than they were reserved.
 *
 * <p><b>Goals.</b> Half a swap must not leave wrong books: P reserved on A and Q on B are equal,
 * the kubelet gave P a place on B, so what is left for Q is A. And no device may be planned beyond
 * its units while there is room elsewhere. <b>Constraint.</b> Plugin and extender must reach the
 * same answer without talking, also after a restart, so it is a function of what is booked on the
 * node alone. <b>Algorithm.</b> Within one {@link Likeness} the places that were reserved form a
 * multiset. Each settled request uses up the place where it really is. Those still outstanding keep
 * their own place if it is left and has room. The others take the first of these that has room: a
 * place that is left over; their own; any accepted devices that take new pods. Likenesses choose in
 * the order of their size, requests in the order of pod UID and container.
 *
 * <p>Room has to be asked for at each step, for the multiset alone is wrong once a pod of a swap
 * has ended: the place that its partner left vacant was given away, and the partner still seems to
 * leave it over.
 */
public final class Slots {

  /** Large requests have the fewest places to go; equal ones have an order that both sides know. */
  private static final Comparator<Group> LARGEST_FIRST =
      Comparator.comparingLong((Group group) -> group.first().likeness().units())
          .reversed()
          .thenComparing(Group::first);

  private Slots() {}

  /** A request that the kubelet has served, with the devices that it really got. */
  public record Settled(Request request, Map<DeviceUuid, Long> actual) {}

  /**
   * For each outstanding request the devices on which it is to be booked now.
   *
   * @param cordoned devices that an admin took out of use: nothing is moved there
   * @param taken all that is booked on the node beside the outstanding requests
   */
  public static Map<Request, Map<DeviceUuid, Long>> assign(
      Collection<Settled> settled,
      Collection<Request> outstanding,
      Inventory inventory,
      Set<DeviceUuid> cordoned,
      Map<DeviceUuid, Long> taken) {
    Map<Likeness, Group> groups = new HashMap<>();
    for (Settled each : settled) {
      groups.computeIfAbsent(each.request().likeness(), like -> new Group()).settled.add(each);
    }
    for (Request each : outstanding) {
      groups.computeIfAbsent(each.likeness(), like -> new Group()).outstanding.add(each);
    }
    Map<Request, Map<DeviceUuid, Long>> assigned = new TreeMap<>();
    Room room = new Room(inventory, cordoned, taken);
    groups.values().stream()
        .filter(group -> !group.outstanding.isEmpty())
        .sorted(LARGEST_FIRST)
        .forEach(group -> group.assignInto(assigned, room));
    return assigned;
  }

  /** What is booked on each device so far. */
  private static final class Room {
    private final Inventory inventory;
    private final Set<DeviceUuid> cordoned;
    private final Map<DeviceUuid, Long> booked;

    Room(Inventory inventory, Set<DeviceUuid> cordoned, Map<DeviceUuid, Long> taken) {
      this.inventory = inventory;
      this.cordoned = cordoned;
      this.booked = new HashMap<>(taken);
    }

    Map<DeviceUuid, Long> take(Map<DeviceUuid, Long> place) {
      Units.add(booked, place);
      return place;
    }

    boolean fits(Map<DeviceUuid, Long> place) {
      return place.entrySet().stream()
          .allMatch(
              part ->
                  inventory
                      .device(part.getKey())
                      .map(device -> fits(device, part.getValue()))
                      .orElse(false));
    }

    private boolean fits(Device device, long units) {
      return Units.sum(booked.getOrDefault(device.uuid(), 0L), units) <= device.units();
    }

    /** The first devices that take new pods and on which such a request fits. */
    Optional<Map<DeviceUuid, Long>> anywhere(Likeness likeness) {
      long share = likeness.units() / likeness.devices();
      Map<DeviceUuid, Long> place = new TreeMap<>();
      inventory.devices().stream()
          .filter(device -> likeness.admissible().contains(device.uuid()))
          .filter(device -> device.health().isHealthy() && !cordoned.contains(device.uuid()))
          .filter(device -> fits(device, share))
          .limit(likeness.devices())
          .forEach(device -> place.put(device.uuid(), share));
      return place.size() == likeness.devices() ? Optional.of(place) : Optional.empty();
    }
  }

  /** The requests of one likeness. */
  private static final class Group {
    private final List<Settled> settled = new ArrayList<>();
    private final List<Request> outstanding = new ArrayList<>();

    Request first() {
      return Collections.min(outstanding);
    }

    void assignInto(Map<Request, Map<DeviceUuid, Long>> assigned, Room room) {
      List<Map<DeviceUuid, Long>> places = new ArrayList<>();
      settled.stream().map(Settled::request).sorted().forEach(r -> places.add(r.reserved()));
      outstanding.stream().sorted().forEach(request -> places.add(request.reserved()));
      for (Settled each : settled) {
        places.remove(each.actual());
      }
      List<Request> homeless = new ArrayList<>();
      for (Request request : outstanding.stream().sorted().toList()) {
        if (places.remove(request.reserved()) && room.fits(request.reserved())) {
          assigned.put(request, room.take(request.reserved()));
        } else {
          homeless.add(request);
        }
      }
      for (Request request : homeless) {
        Optional<Map<DeviceUuid, Long>> left = places.stream().filter(room::fits).findFirst();
        left.ifPresent(places::remove);
        Map<DeviceUuid, Long> place =
            left.or(() -> Optional.of(request.reserved()).filter(room::fits))
                .or(() -> room.anywhere(request.likeness()))
                .orElse(request.reserved());
        assigned.put(request, room.take(place));
      }
    }
  }
}
