package io.gpumem.plugin.allocate;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import java.util.Map;

/** What is to be done with one container's part of an Allocate call. */
sealed interface Ruling {

  /** Give the container these devices: device to units. */
  record Granted(Map<DeviceUuid, Long> devices) implements Ruling {}

  /** Refuse it; the text ends up in the pod's status. */
  record Refused(String why) implements Ruling {}

  /**
   * The kubelet offered IDs as free that these pods were last known to hold: ask whether they still
   * do, and rule again.
   */
  record Ask(Map<PodName, UnitSet> suspects) implements Ruling {}
}
