package io.gpumem.plugin.nvml;

import io.gpumem.core.units.DeviceUuid;
import java.util.List;

/**
 * What a MIG device is a part of.
 *
 * @param parent the GPU that it was cut from
 * @param profile such as {@code 1g.18gb}; a name only, the memory is never read from it
 * @param gpuInstance NVML's id of the GPU instance, unique on the parent
 * @param computeInstance NVML's id of the compute instance, unique in the GPU instance
 * @param capMinors the minors of the {@code /dev/nvidia-caps/nvidia-cap<minor>} nodes that a
 *     container needs: the GPU instance's and the compute instance's. Empty when the kernel's table
 *     has none for them
 */
public record MigFacts(
    DeviceUuid parent,
    String profile,
    int gpuInstance,
    int computeInstance,
    List<Integer> capMinors) {

  public MigFacts {
    capMinors = List.copyOf(capMinors);
  }
}
