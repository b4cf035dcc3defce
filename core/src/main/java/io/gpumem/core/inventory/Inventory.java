package io.gpumem.core.inventory;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.core.units.Units;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The devices of one node in the order of their index, and the unit in which they are sold. */
public record Inventory(Memory unit, List<Device> devices) {

  public static final Inventory EMPTY = new Inventory(Memory.ofGib(1), List.of());

  public Inventory {
    if (unit.mib() == 0) {
      throw new IllegalArgumentException("expected a unit larger than zero");
    }
    devices =
        devices.stream()
            .sorted(Comparator.comparingInt(Device::index).thenComparing(Device::uuid))
            .toList();
    Map<DeviceUuid, Device> byUuid = new HashMap<>();
    for (Device device : devices) {
      if (byUuid.put(device.uuid(), device) != null) {
        throw new IllegalArgumentException("device named twice: " + device.uuid());
      }
    }
  }

  public Optional<Device> device(DeviceUuid uuid) {
    return devices.stream().filter(device -> device.uuid().equals(uuid)).findFirst();
  }

  public boolean has(DeviceUuid uuid) {
    return device(uuid).isPresent();
  }

  /** All units of the node, healthy or not. */
  public long units() {
    return devices.stream().mapToLong(Device::units).reduce(0, Units::sum);
  }

  /** The units of the largest device; empty on a node without devices. */
  public OptionalLong largestDevice() {
    return devices.stream().mapToLong(Device::units).max();
  }
}
