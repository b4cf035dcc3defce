package io.gpumem.plugin.allocate;

import io.gpumem.core.units.DeviceId;
import java.util.Set;

/** Device IDs that we answered to Allocate, and that the kubelet's table has not shown yet. */
record Answer(Set<DeviceId> ids, long atNanos) {
  Answer {
    ids = Set.copyOf(ids);
  }
}
