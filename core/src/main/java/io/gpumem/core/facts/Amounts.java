package io.gpumem.core.facts;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Units;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** Units on devices by container: the form that reservations and allocations share. */
final class Amounts {

  private Amounts() {}

  /** An immutable copy in a stable order; amounts that are not above zero are a bug. */
  static Map<String, Map<DeviceUuid, Long>> copy(Map<String, Map<DeviceUuid, Long>> amounts) {
    Map<String, Map<DeviceUuid, Long>> copy = new TreeMap<>();
    amounts.forEach((container, devices) -> copy.put(container, copyOfOne(devices)));
    return Collections.unmodifiableMap(copy);
  }

  /** As {@link #copy}, of the amounts of one holder. */
  static Map<DeviceUuid, Long> copyOfOne(Map<DeviceUuid, Long> devices) {
    devices.forEach(
        (device, units) -> {
          if (units <= 0) {
            throw new IllegalArgumentException(
                "expected units above zero on " + device + " but was " + units);
          }
        });
    return Units.copy(devices);
  }
}
