package io.gpumem.core.facts;

import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Policy;
import java.util.Optional;

/** What a user asked by the three pod annotations: a policy, and the choice of devices. */
public record Wish(Optional<Policy> policy, DeviceChoice choice) {

  public static final Wish NONE = new Wish(Optional.empty(), DeviceChoice.ANY);
}
