package io.gpumem.core.demand;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which devices a pod accepts: how many for one container's units, and of which models (by whole
 * name, any when empty). It is frozen into the reservation at bind and read only from there.
 */
public record DeviceChoice(int devices, Set<String> models) {

  /** One device of any model. */
  public static final DeviceChoice ANY = new DeviceChoice(1, Set.of());

  public DeviceChoice {
    if (devices < 1) {
      throw new IllegalArgumentException("expected at least one device but was " + devices);
    }
    models = Collections.unmodifiableSet(new TreeSet<>(models));
  }

  public boolean accepts(Device device) {
    return models.isEmpty() || models.contains(device.model());
  }

  /** The accepted devices of a node, healthy or not: the choice does not change with health. */
  public Set<DeviceUuid> admissible(Inventory inventory) {
    Set<DeviceUuid> admissible = new TreeSet<>();
    for (Device device : inventory.devices()) {
      if (accepts(device)) {
        admissible.add(device.uuid());
      }
    }
    return admissible;
  }
}
