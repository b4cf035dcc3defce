package io.gpumem.plugin.nvml.fake;

import java.util.OptionalLong;

/**
 * The memory of a simulated device, in bytes.
 *
 * @param total empty when the driver can't tell
 */
public record SimulatedMemory(OptionalLong total, long reserved, long used) {

  public SimulatedMemory {
    if (reserved < 0 || used < 0 || total.orElse(1) < 1) {
      throw new IllegalArgumentException("expected amounts of memory of zero or more");
    }
    if (total.isPresent() && Math.addExact(reserved, used) > total.getAsLong()) {
      throw new IllegalArgumentException(
          "expected reserved and used within the memory of "
              + total.getAsLong()
              + " bytes but was "
              + reserved
              + " and "
              + used);
    }
  }
}
