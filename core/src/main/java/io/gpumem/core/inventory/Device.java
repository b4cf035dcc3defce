package io.gpumem.core.inventory;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What memory is sold from: a whole GPU with MIG off, or one MIG device.
 *
 * @param index the display index, unique on the node, MIG devices included; it may change over a
 *     reboot
 * @param model the whole name that NVML gives, by which pods choose models
 * @param memory NVML's total
 * @param usable total minus what the driver reserves, never NVML's free, which moves with load
 * @param units how many units are sold: {@code floor(usable / unit)}
 * @param numa the nearest host NUMA node, where it is known
 */
public record Device(
    DeviceUuid uuid,
    int index,
    String model,
    Optional<MigSlice> mig,
    Memory memory,
    Memory usable,
    long units,
    OptionalInt numa,
    Health health) {

  public Device {
    if (units < 0 || index < 0) {
      throw new IllegalArgumentException(
          "expected units and index from 0 but was " + units + " and " + index);
    }
  }

  public Device withHealth(Health changed) {
    return new Device(uuid, index, model, mig, memory, usable, units, numa, changed);
  }
}
