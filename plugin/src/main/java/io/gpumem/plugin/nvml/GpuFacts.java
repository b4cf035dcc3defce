package io.gpumem.plugin.nvml;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One device: a GPU with MIG off, or a MIG device.
 *
 * <p>The memory is rounded against the seller: {@code total} down, {@code reserved} and {@code
 * used} up, so that total minus reserved is never more than the driver can give. (An H200 reserves
 * 615 MiB and 64 KiB: 616 here, and 143155 of 143771 MiB remain, as CUDA says too.)
 *
 * @param index the number that people use, unique on the node. Whole GPUs come first, in the
 *     driver's order, which is that of the PCI bus; then the MIG devices in the order of their
 *     parent, GPU instance and compute instance. A GPU that is lost or can't be opened keeps its
 *     number, so the others do not move; a changed MIG layout does renumber
 * @param minor the N of {@code /dev/nvidiaN}, of the parent for a MIG device; it follows the
 *     driver's probe order and is neither the index nor CUDA's number. −1 when unknown
 * @param model such as {@code NVIDIA H200}; the parent's for a MIG device
 * @param total empty when the driver cannot tell, as where the GPU shares the host's memory
 * @param reserved what the driver keeps for itself; zero when it does not say
 * @param used what processes hold now. Where the driver knows only the first form of the memory
 *     call, it contains the reserve
 * @param numa the NUMA node that the GPU's slot is next to; empty when unknown
 */
public record GpuFacts(
    DeviceUuid uuid,
    int index,
    int minor,
    String model,
    Optional<Memory> total,
    Memory reserved,
    Memory used,
    OptionalInt numa,
    Optional<MigFacts> mig,
    Condition condition) {

  public static final int UNKNOWN_MINOR = -1;

  public GpuFacts {
    if (index < 0 || minor < UNKNOWN_MINOR || numa.orElse(0) < 0) {
      throw new IllegalArgumentException(
          "expected an index, a minor and a NUMA node but was "
              + index
              + ", "
              + minor
              + ", "
              + numa);
    }
  }

  /** What can be given to processes at all: total minus reserved, whatever the load. */
  public Optional<Memory> usable() {
    return total.map(all -> all.minusOrZero(reserved));
  }

  GpuFacts withIndex(int number) {
    return new GpuFacts(uuid, number, minor, model, total, reserved, used, numa, mig, condition);
  }

  GpuFacts broken(String why) {
    return new GpuFacts(
        uuid, index, minor, model, total, reserved, used, numa, mig, new Condition.Broken(why));
  }
}
