package io.gpumem.plugin.allocate;

import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.ledger.Outstanding;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import java.util.List;
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
   * IDs that one container of a running pod held when the kubelet lost its table.
   *
   * @param contested whether another pod waits for as many, so that a call of this size need not be
   *     the loser's
   */
  record LostAllocation(PodName pod, String container, UnitSet ids, boolean contested) {}

  Situation with(UnitSet picks) {
    return new Situation(inventory, cordoned, outstanding, holders, held, picks, lost, unseen);
  }

  /** The same, as if nothing were reserved. */
  Situation withoutPlans() {
    return new Situation(inventory, cordoned, List.of(), holders, held, recentPicks, lost, unseen);
  }

  /** The one lost allocation that a call of this size must be for; empty when there is doubt. */
  Optional<LostAllocation> onlyLost(int size) {
    List<LostAllocation> matching =
        lost.stream().filter(each -> each.ids().size() == size).toList();
    return matching.size() == 1 && !matching.getFirst().contested()
        ? Optional.of(matching.getFirst())
        : Optional.empty();
  }
}
