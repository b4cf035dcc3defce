package io.gpumem.plugin.nvml.fake;

import io.gpumem.core.units.DeviceUuid;

/** One MIG device of a simulated GPU, in the slot where the driver lists it. */
public record SimulatedMigDevice(
    int slot,
    DeviceUuid uuid,
    String profile,
    int gpuInstance,
    int computeInstance,
    SimulatedMemory memory,
    Health health) {}
