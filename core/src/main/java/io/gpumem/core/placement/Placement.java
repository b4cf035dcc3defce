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
 * of all containers, largest first, are placed by a {@link Search} over the devices in the policy's
 * order.
 */
public final class Placement {

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
    if (choice.devices() > 1 && choice.devices() > wanted.stream().filter(ledger::isOpen).count()) {
      return Verdict.refused(Refusal.CLOSED);
    }
    List<Search.Share> shares = new ArrayList<>();
    for (ContainerDemand container : asPieces(demand)) {
      OptionalLong share = Reservation.share(container.units(), choice.devices());
      if (share.isEmpty()) {
        return Verdict.refused(Refusal.INDIVISIBLE);
      }
      for (int i = 0; i < choice.devices(); i++) {
        shares.add(new Search.Share(container.container(), share.getAsLong(), i == 0));
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
      Demand demand,
      List<Search.Share> shares,
      List<Device> wanted,
      Policy policy,
      NodeLedger ledger) {
    List<Device> open =
        wanted.stream().filter(ledger::isOpen).sorted(order(policy, ledger)).toList();
    long piece = shares.getFirst().units();
    if (piece > largest(wanted)) {
      return Verdict.refused(Refusal.TOO_LARGE);
    }
    if (piece > largest(open)) {
      return Verdict.refused(Refusal.CLOSED);
    }
    long free = open.stream().mapToLong(ledger::free).reduce(0, Units::sum);
    if (free < demand.footprint()) {
      return Verdict.refused(Refusal.TOO_LITTLE);
    }
    Search search = new Search(shares, open, ledger::free);
    return search.succeeds()
        ? new Verdict.Fits(containers(demand, search.chosen(), shares), search.leftover())
        : Verdict.refused(Refusal.FRAGMENTED);
  }

  private static long largest(List<Device> devices) {
    return devices.stream().mapToLong(Device::units).max().orElse(0);
  }

  private static Comparator<Device> order(Policy policy, NodeLedger ledger) {
    Comparator<Device> byFree = Comparator.comparingLong(ledger::free);
    return (policy == Policy.BINPACK ? byFree : byFree.reversed()).thenComparingInt(Device::index);
  }

  private static Map<String, Map<DeviceUuid, Long>> containers(
      Demand demand, List<Device> chosen, List<Search.Share> shares) {
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
          .computeIfAbsent(shares.get(i).container(), name -> new TreeMap<>())
          .put(chosen.get(i).uuid(), shares.get(i).units());
    }
    return containers;
  }
}
