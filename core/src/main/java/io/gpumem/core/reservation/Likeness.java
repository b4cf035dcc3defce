package io.gpumem.core.reservation;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodUid;
import java.util.Optional;
import java.util.Set;

/**
 * What makes two requests on a node interchangeable. Allocate carries no pod identity, so equal
 * requests may swap devices without harm, and unlike ones must be told apart by their size alone.
 *
 * <p>Equal is: the same units, the same number of devices, the same admissible devices of this node
 * (judged by the set, not by the annotation's text), and neither pod has an ordinary init container
 * with a request, for such a pod needs all its containers on one device.
 *
 * @param only the pod that is like no other, if it is one
 */
public record Likeness(long units, int devices, Set<DeviceUuid> admissible, Optional<PodUid> only) {

  public Likeness {
    admissible = Set.copyOf(admissible);
  }

  public static Likeness of(
      PodFacts pod, ContainerDemand container, DeviceChoice choice, Inventory inventory) {
    return new Likeness(
        container.units(),
        choice.devices(),
        choice.admissible(inventory),
        pod.demand().hasOrdinaryInit() ? Optional.of(pod.uid()) : Optional.empty());
  }

  /** Whether both have one size and are yet not interchangeable: no call could tell them apart. */
  public boolean isConfusedWith(Likeness other) {
    return units == other.units && !equals(other);
  }
}
