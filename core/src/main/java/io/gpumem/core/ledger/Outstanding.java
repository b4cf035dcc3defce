package io.gpumem.core.ledger;

import io.gpumem.core.demand.Phase;
import io.gpumem.core.reservation.Likeness;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.units.Units;
import java.util.Map;

/**
 * A request that is reserved on a node and not yet in the kubelet's table: a call of Allocate for
 * it is still to come.
 *
 * @param devices where it is to go, after swaps that the kubelet has already made
 */
public record Outstanding(
    PodUid pod,
    PodName name,
    String container,
    Phase phase,
    Likeness likeness,
    Map<DeviceUuid, Long> devices) {

  public Outstanding {
    devices = Units.copy(devices);
  }
}
