package io.gpumem.plugin.allocate;

import static io.gpumem.plugin.allocate.Known.A;
import static io.gpumem.plugin.allocate.Known.B;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.plugin.allocate.ContainerView.Strategy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ContainerViewTest {

  private static final Map<DeviceUuid, List<String>> NODES =
      Map.of(
          A, List.of("/dev/nvidiactl", "/dev/nvidia0"),
          B, List.of("/dev/nvidiactl", "/dev/nvidia1"));

  @Test
  void namesTheDeviceAndItsLimitInMebibytes() {
    ContainerView view = view(Map.of(A, 3L), Strategy.ENVVAR);

    assertEquals(
        Map.of(
            "NVIDIA_VISIBLE_DEVICES", "GPU-a",
            "NVIDIA_GPU_MEMORY_REQUEST", "3072",
            "NVIDIA_GPU_MEMORY_LIMIT", "3072"),
        view.environment());
    assertEquals(List.of(), view.deviceNodes());
  }

  @Test
  void passesDeviceNodesInAndKeepsTheRuntimeFromOpeningAll() {
    ContainerView view = view(Map.of(B, 1L), Strategy.DEVICE_SPECS);

    assertEquals("void", view.environment().get("NVIDIA_VISIBLE_DEVICES"));
    assertEquals(List.of("/dev/nvidiactl", "/dev/nvidia1"), view.deviceNodes());
  }

  @Test
  void addsUpTwoDevicesAndNamesACommonNodeOnce() {
    ContainerView view = view(Map.of(A, 2L, B, 2L), Strategy.ENVVAR, Strategy.DEVICE_SPECS);

    assertEquals("GPU-a,GPU-b", view.environment().get("NVIDIA_VISIBLE_DEVICES"));
    assertEquals("4096", view.environment().get("NVIDIA_GPU_MEMORY_LIMIT"));
    assertEquals(
        Set.of("/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia1"), Set.copyOf(view.deviceNodes()));
    assertEquals(3, view.deviceNodes().size());
  }

  private static ContainerView view(Map<DeviceUuid, Long> granted, Strategy... strategies) {
    return ContainerView.of(granted, Memory.ofGib(1), Set.of(strategies), NODES);
  }
}
