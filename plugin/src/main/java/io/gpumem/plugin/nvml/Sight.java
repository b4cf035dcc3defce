package io.gpumem.plugin.nvml;

import io.gpumem.core.units.DeviceUuid;
import java.util.List;
import java.util.Optional;

/** What one scan made of one GPU of the driver's list, before the {@link Roster} has its say. */
public sealed interface Sight {

  /**
   * A GPU that answered.
   *
   * @param bus empty where the GPU is on no PCI bus
   * @param devices itself, or its MIG devices, none of which may have been made; their index is not
   *     yet the right one
   * @param gap why some MIG devices may be missing, when a slot could not be read
   */
  record Opened(
      DeviceUuid gpu, Optional<PciAddress> bus, List<GpuFacts> devices, Optional<String> gap)
      implements Sight {
    public Opened {
      devices = List.copyOf(devices);
    }
  }

  /**
   * A GPU that is in the list and can't be read.
   *
   * @param gpu its name, when at least that could be read
   */
  record Unreadable(int driverIndex, Optional<DeviceUuid> gpu, String why) implements Sight {}
}
