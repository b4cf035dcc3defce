package io.gpumem.plugin.inventory;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.plugin.nvml.GpuFacts;
import io.gpumem.plugin.nvml.MigFacts;
import io.gpumem.plugin.nvml.Scan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes under /dev that a container needs for each device: the driver's common ones, as far as
 * they exist, the GPU's own by its minor number (which is neither index nor CUDA ordinal), and for
 * a MIG device both capability nodes. A GPU's own node is named even where it is missing: a
 * container that fails to start is better than one that runs without its GPU.
 */
public final class DeviceNodes {

  private static final List<String> COMMON =
      List.of("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset");

  private DeviceNodes() {}

  /**
   * The nodes of each device, as paths under /dev.
   *
   * @param devRoot where this process sees the host's /dev
   */
  public static Map<DeviceUuid, List<String>> of(Scan.Seen scan, Path devRoot) {
    List<String> common =
        COMMON.stream()
            .filter(name -> Files.exists(devRoot.resolve(name)))
            .map(name -> "/dev/" + name)
            .toList();
    Map<DeviceUuid, List<String>> nodes = new HashMap<>();
    for (GpuFacts gpu : scan.devices()) {
      List<String> paths = new ArrayList<>(common);
      if (gpu.minor() != GpuFacts.UNKNOWN_MINOR) {
        paths.add("/dev/nvidia" + gpu.minor());
      }
      gpu.mig().map(MigFacts::capMinors).orElse(List.of()).stream()
          .map(minor -> "/dev/nvidia-caps/nvidia-cap" + minor)
          .forEach(paths::add);
      nodes.put(gpu.uuid(), List.copyOf(paths));
    }
    return Map.copyOf(nodes);
  }
}
