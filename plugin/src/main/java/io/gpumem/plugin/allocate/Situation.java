package io.gpumem.plugin.allocate;

import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.ledger.Outstanding;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.Units;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All that a decision about one kubelet call is made from: an immutable snapshot.
 *
 * @param outstanding reservations that wait for their call, in the order in which their pods
 *     appeared: the kubelet admits in the order of its watch, which is the order of the Bindings
 * @param holders who was last known to hold which IDs
 * @param held all IDs of the holders: none that is surely free is among them
 * @param recentPicks IDs that another preferred call was given moments ago
 * @param lost what running pods held when the kubelet lost its table
 * @param unseen live pods that ask for units and are not in the table yet: one of them may be
 *     behind an answer of ours that nobody has shown
 */
record Situation(
    Inventory inventory,
    Set<DeviceUuid> cordoned,
    List<Outstanding> outstanding,
    List<Holder> holders,
    UnitSet held,
    UnitSet recentPicks,
    List<LostAllocation> lost,
    List<PodName> unseen) {

  Situation {
    outstanding = List.copyOf(outstanding);
    holders = List.copyOf(holders);
    lost = List.copyOf(lost);
    unseen = List.copyOf(unseen);
  }

  /**
   * What one container of a running pod held when the kubelet lost its table.
   *
   * @param ids none where only an earlier run of ours knew them: then the devices and amounts are
   *     all that is known
   * @param contested whether another pod waits for as many, so that a call of this size need not be
   *     the loser's
   */
  record LostAllocation(
      PodName pod,
      String container,
      Map<DeviceUuid, Long> devices,
      UnitSet ids,
      boolean contested) {

    long units() {
      return Units.total(devices);
    }
  }

  Situation with(UnitSet picks) {
    return new Situation(inventory, cordoned, outstanding, holders, held, picks, lost, unseen);
  }

  /** The same, as if nothing were reserved. */
  Situation withoutPlans() {
    return new Situation(inventory, cordoned, List.of(), holders, held, recentPicks, lost, unseen);
  }

  /** The one lost allocation that a call of this size must be for; empty when there is doubt. */
  Optional<LostAllocation> onlyLost(int size) {
    List<LostAllocation> matching = lost.stream().filter(each -> each.units() == size).toList();
    return matching.size() == 1 && !matching.getFirst().contested()
        ? Optional.of(matching.getFirst())
        : Optional.empty();
  }

  /** The lost allocation that a call with these IDs gives back, if it is one. */
  Optional<LostAllocation> ownLost(UnitSet given) {
    return onlyLost(given.size())
        .filter(
            lost ->
                lost.ids().isEmpty()
                    ? lost.devices().equals(given.counts())
                    : lost.ids().equals(given));
  }

  /** Units of a device that running pods hold under IDs that nobody knows any more. */
  long forgotten(DeviceUuid device) {
    return lost.stream()
        .filter(each -> each.ids().isEmpty())
        .mapToLong(each -> each.devices().getOrDefault(device, 0L))
        .reduce(0, Units::sum);
  }
}
