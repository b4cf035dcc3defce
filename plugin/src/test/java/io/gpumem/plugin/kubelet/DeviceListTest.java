package io.gpumem.plugin.kubelet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The list that the kubelet is told, and the guard of its size. */
final class DeviceListTest {

  private static final DeviceUuid BAD = new DeviceUuid("GPU-bad");
  private static final DeviceUuid GOOD = new DeviceUuid("GPU-good");

  @Test
  void turnsOnlyTheFreeUnitsOfABadDevice() {
    Inventory inventory =
        new Inventory(
            Memory.ofGib(1),
            List.of(
                device(BAD, 0, 3, OptionalInt.empty()).withHealth(new Health.Unhealthy("XID 79")),
                device(GOOD, 1, 1, OptionalInt.empty())));

    assertEquals(
        Map.of(
            "GPU-bad::0", "Unhealthy",
            "GPU-bad::1", "Healthy",
            "GPU-bad::2", "Unhealthy",
            "GPU-good::0", "Healthy"),
        health(DeviceList.of(inventory, Set.of(new DeviceId(BAD, 1)), false)));
  }

  @Test
  void tellsNumaNodesOnlyWhereAskedAndKnown() {
    Inventory inventory =
        new Inventory(
            Memory.ofGib(1),
            List.of(device(BAD, 0, 1, OptionalInt.empty()), device(GOOD, 1, 1, OptionalInt.of(1))));

    ListAndWatchResponse silent = DeviceList.of(inventory, Set.of(), false);
    assertTrue(silent.getDevicesList().stream().noneMatch(each -> each.hasTopology()));

    ListAndWatchResponse telling = DeviceList.of(inventory, Set.of(), true);
    assertFalse(telling.getDevices(0).hasTopology(), "an unknown node is never sent");
    assertEquals(1, telling.getDevices(1).getTopology().getNodes(0).getID());
  }

  @Test
  void takesTheSmallestUnitThatTheGuardItselfNames() {
    Inventory tooFine = eight(1, 81_920);
    String problem = UnitGuard.problem(tooFine, false).orElseThrow();
    assertTrue(problem.contains("The smallest unit that works here is 131Mi"), problem);

    assertEquals(Optional.empty(), UnitGuard.problem(eight(131, 81_920), false));
    assertTrue(UnitGuard.problem(eight(130, 81_920), false).isPresent());
  }

  @Test
  void findsNothingWrongWithANodeWithoutDevices() {
    assertEquals(Optional.empty(), UnitGuard.problem(Inventory.EMPTY, true));
  }

  private static Inventory eight(int unitMib, int mib) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      DeviceUuid uuid = new DeviceUuid("GPU-00000000-0000-4000-8000-00000000000" + i);
      Memory memory = Memory.ofMib(mib);
      devices.add(
          new Device(
              uuid,
              i,
              "Card",
              Optional.empty(),
              memory,
              memory,
              memory.units(Memory.ofMib(unitMib)),
              OptionalInt.empty(),
              Health.HEALTHY));
    }
    return new Inventory(Memory.ofMib(unitMib), devices);
  }

  private static Device device(DeviceUuid uuid, int index, int units, OptionalInt numa) {
    Memory memory = Memory.ofGib(units);
    return new Device(
        uuid, index, "Card", Optional.empty(), memory, memory, units, numa, Health.HEALTHY);
  }

  private static Map<String, String> health(ListAndWatchResponse list) {
    Map<String, String> health = new TreeMap<>();
    list.getDevicesList().forEach(each -> health.put(each.getID(), each.getHealth()));
    return health;
  }
}
