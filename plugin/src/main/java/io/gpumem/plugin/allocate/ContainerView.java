package io.gpumem.plugin.allocate;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.core.units.Units;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a container gets to see of its devices.
 *
 * @param environment variables to set; a pod's own spec can override them, so they are advice
 * @param deviceNodes paths under /dev to pass in, readable and writable
 */
public record ContainerView(Map<String, String> environment, List<String> deviceNodes) {

  public ContainerView {
    environment = Map.copyOf(environment);
    deviceNodes = List.copyOf(deviceNodes);
  }

  /** How a container is given its devices. */
  public enum Strategy {
    /** {@code NVIDIA_VISIBLE_DEVICES}, which the NVIDIA container runtime acts on. */
    ENVVAR,
    /** The nodes under /dev, which any runtime passes in. */
    DEVICE_SPECS
  }

  private static final String VISIBLE_DEVICES = "NVIDIA_VISIBLE_DEVICES";
  private static final String MEMORY_REQUEST = "NVIDIA_GPU_MEMORY_REQUEST";
  private static final String MEMORY_LIMIT = "NVIDIA_GPU_MEMORY_LIMIT";

  /**
   * With device nodes alone the NVIDIA runtime must do nothing: CUDA images have {@code all} baked
   * in, which would open every GPU of the node.
   */
  private static final String RUNTIME_DOES_NOTHING = "void";

  /**
   * The view of these devices.
   *
   * @param granted device to units
   * @param nodes the device nodes of each device of this node
   */
  public static ContainerView of(
      Map<DeviceUuid, Long> granted,
      Memory unit,
      Set<Strategy> strategies,
      Map<DeviceUuid, List<String>> nodes) {
    Map<String, String> environment = new TreeMap<>();
    List<String> uuids = new TreeMap<>(granted).keySet().stream().map(DeviceUuid::text).toList();
    environment.put(
        VISIBLE_DEVICES,
        strategies.contains(Strategy.ENVVAR) ? String.join(",", uuids) : RUNTIME_DOES_NOTHING);
    // Both, in whole MiB and equal: inert on old stacks, enforced by the kernel on new ones.
    String mib = Long.toString(Math.multiplyExact(Units.total(granted), unit.mib()));
    environment.put(MEMORY_REQUEST, mib);
    environment.put(MEMORY_LIMIT, mib);
    Set<String> paths = new LinkedHashSet<>();
    if (strategies.contains(Strategy.DEVICE_SPECS)) {
      granted.keySet().forEach(device -> paths.addAll(nodes.getOrDefault(device, List.of())));
    }
    return new ContainerView(environment, new ArrayList<>(paths));
  }
}
