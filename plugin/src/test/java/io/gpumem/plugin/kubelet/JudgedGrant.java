package io.gpumem.plugin.kubelet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceId;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What a grant must be: known units of one healthy device, and a container that sees only it. */
final class JudgedGrant {

  private JudgedGrant() {}

  static void judge(List<String> ids, ContainerAllocateResponse given, Inventory inventory) {
    Set<DeviceId> parsed =
        ids.stream().map(id -> DeviceId.parse(id).orElseThrow()).collect(Collectors.toSet());
    Set<String> devices = parsed.stream().map(id -> id.device().text()).collect(Collectors.toSet());
    assertEquals(1, devices.size(), () -> "one device: " + devices);
    DeviceId any = parsed.iterator().next();
    Device device = inventory.device(any.device()).orElseThrow();
    assertTrue(device.health().isHealthy(), "a healthy device");
    assertTrue(parsed.stream().allMatch(id -> id.number() < device.units()), "units it has");
    assertEquals(device.uuid().text(), given.getEnvsOrThrow("NVIDIA_VISIBLE_DEVICES"));
    String mib = Long.toString(parsed.size() * inventory.unit().mib());
    assertEquals(mib, given.getEnvsOrThrow("NVIDIA_GPU_MEMORY_LIMIT"));
  }
}
