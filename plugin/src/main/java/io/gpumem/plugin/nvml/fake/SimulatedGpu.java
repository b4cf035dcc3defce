package io.gpumem.plugin.nvml.fake;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.plugin.nvml.PciAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One simulated GPU.
 *
 * @param mig its MIG devices; present when MIG is on, be there any device or none
 */
public record SimulatedGpu(
    DeviceUuid uuid,
    String model,
    PciAddress bus,
    int minor,
    OptionalInt numa,
    SimulatedMemory memory,
    Health health,
    Optional<List<SimulatedMigDevice>> mig) {

  public SimulatedGpu {
    mig = mig.map(List::copyOf);
  }
}
