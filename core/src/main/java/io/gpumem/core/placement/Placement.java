package io.gpumem.core.placement;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Demand;
import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.ledger.NodeLedger;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Units;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Chooses the devices for a demand on one node.
 *
 * <p><b>Goals.</b> Place every pod that can be placed; under {@link Policy#BINPACK} keep large
 * pieces whole, under {@link Policy#SPREAD} keep pods apart. <b>Constraints.</b> A container's
 * units come from one device, or in equal shares from exactly the number that the pod chose; a pod
 * with an ordinary init request has all its containers on one device. <b>Algorithm.</b> The shares
 * of all containers, largest first, are placed by depth-first search over the devices in the
 * policy's order; devices with the same room are tried once. The search is exact for every pod met
 * in practice and gives up, as if nothing fitted, after {@value #MOST_STEPS} steps.
 */
public final class Placement {

  /** A pod of 6 GPU containers on 16 unlike devices needs far fewer; nobody waits for more. */
  static final int MOST_STEPS = 20_000;

  private Placement() {}

  /** Where the demand goes on a node with these books, or why it does not. */
  public static Verdict place(
      Demand demand, DeviceChoice choice, Policy policy, NodeLedger ledger) {
    List<Device> wanted = ledger.inventory().devices().stream().filter(choice::accepts).toList();
    if (demand.isNone()) {
      return new Verdict.Fits(Map.of(), 0);
    }
    if (wanted.isEmpty()) {
      boolean none = ledger.inventory().devices().isEmpty();
      return Verdict.refused(none ? Refusal.TOO_LITTLE : Refusal.NO_SUCH_MODEL);
    }
    if (choice.devices() > 1 && demand.hasOrdinaryInit()) {
      return Verdict.refused(Refusal.INIT_ON_SEVERAL);
    }
    if (choice.devices() > wanted.size()) {
      return Verdict.refused(Refusal.TOO_FEW_DEVICES);
    }
    List<Share> shares = new ArrayList<>();
    for (ContainerDemand container : asPieces(demand)) {
      OptionalLong share = Reservation.share(container.units(), choice.devices());
      if (share.isEmpty()) {
        return Verdict.refused(Refusal.INDIVISIBLE);
      }
      for (int i = 0; i < choice.devices(); i++) {
        shares.add(new Share(container.container(), share.getAsLong(), i == 0));
      }
    }
    return search(demand, shares, wanted, policy, ledger);
  }

  /** The pieces that need a device each: the containers, or all of a pod with an init request. */
  private static List<ContainerDemand> asPieces(Demand demand) {
    if (demand.hasOrdinaryInit()) {
      ContainerDemand first = demand.containers().getFirst();
      return List.of(new ContainerDemand(first.container(), first.phase(), demand.footprint()));
    }
    return demand.containers().stream()
        .sorted(
            Comparator.comparingLong(ContainerDemand::units)
                .reversed()
                .thenComparing(ContainerDemand::container))
        .toList();
  }

  private static Verdict search(
      Demand demand, List<Share> shares, List<Device> wanted, Policy policy, NodeLedger ledger) {
    List<Device> open =
        wanted.stream().filter(ledger::isOpen).sorted(order(policy, ledger)).toList();
    Search search = new Search(shares, open, ledger);
    if (search.place(0)) {
      return new Verdict.Fits(containers(demand, search.chosen(), shares), search.leftover());
    }
    return Verdict.refused(why(demand, shares, wanted, open, ledger));
  }

  private static Comparator<Device> order(Policy policy, NodeLedger ledger) {
    Comparator<Device> byFree = Comparator.comparingLong(ledger::free);
    return (policy == Policy.BINPACK ? byFree : byFree.reversed()).thenComparingInt(Device::index);
  }

  private static Refusal why(
      Demand demand,
      List<Share> shares,
      List<Device> wanted,
      List<Device> open,
      NodeLedger ledger) {
    long largest = wanted.stream().mapToLong(Device::units).max().orElse(0);
    if (shares.stream().anyMatch(share -> share.units > largest)) {
      return Refusal.TOO_LARGE;
    }
    long free = open.stream().mapToLong(ledger::free).reduce(0, Units::sum);
    return free < demand.footprint() ? Refusal.TOO_LITTLE : Refusal.FRAGMENTED;
  }

  private static Map<String, Map<DeviceUuid, Long>> containers(
      Demand demand, List<Device> chosen, List<Share> shares) {
    Map<String, Map<DeviceUuid, Long>> containers = new TreeMap<>();
    if (demand.hasOrdinaryInit()) {
      DeviceUuid device = chosen.getFirst().uuid();
      for (ContainerDemand container : demand.containers()) {
        containers.put(container.container(), Map.of(device, container.units()));
      }
      return containers;
    }
    for (int i = 0; i < shares.size(); i++) {
      containers
          .computeIfAbsent(shares.get(i).container, name -> new TreeMap<>())
          .put(chosen.get(i).uuid(), shares.get(i).units);
    }
    return containers;
  }

  /**
   * One device's part of a container's units.
   *
   * @param first whether it is the container's first part: the others go onto later devices in the
   *     order, so that each set of devices is tried once
   */
  private record Share(String container, long units, boolean first) {}

  /** The depth-first search. Its state is the room left per device and the path taken. */
  private static final class Search {
    private final List<Share> shares;
    private final List<Device> devices;
    private final long[] room;
    private final int[] path;
    private int steps;

    Search(List<Share> shares, List<Device> devices, NodeLedger ledger) {
      this.shares = shares;
      this.devices = devices;
      this.room = devices.stream().mapToLong(ledger::free).toArray();
      this.path = new int[shares.size()];
    }

    boolean place(int at) {
      if (at == shares.size()) {
        return true;
      }
      Share share = shares.get(at);
      int from = share.first ? 0 : path[at - 1] + 1;
      long tried = -1;
      for (int i = from; i < room.length && ++steps <= MOST_STEPS; i++) {
        // A device with the room of the one just tried and found hopeless is as hopeless.
        if (room[i] < share.units || room[i] == tried) {
          continue;
        }
        tried = room[i];
        room[i] -= share.units;
        path[at] = i;
        if (place(at + 1)) {
          return true;
        }
        room[i] += share.units;
      }
      return false;
    }

    List<Device> chosen() {
      List<Device> chosen = new ArrayList<>();
      for (int index : path) {
        chosen.add(devices.get(index));
      }
      return chosen;
    }

    long leftover() {
      long least = Long.MAX_VALUE;
      for (int index : path) {
        least = Math.min(least, room[index]);
      }
      return least;
    }
  }
}
