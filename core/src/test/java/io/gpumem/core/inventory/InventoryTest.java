package io.gpumem.core.inventory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.Memory;
import io.gpumem.core.world.Given;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class InventoryTest {

  @Test
  void listsDevicesByIndex() {
    Inventory inventory = Given.inventory(Given.gpu("A", 2, 4), Given.gpu("B", 0, 8));
    assertEquals(
        List.of("GPU-B", "GPU-A"),
        inventory.devices().stream().map(device -> device.uuid().text()).toList());
  }

  @Test
  void countsUnitsHealthyOrNot() {
    Device bad = Given.gpu("B", 1, 16).withHealth(new Health.Unhealthy("XID 79"));
    Inventory inventory = Given.inventory(Given.gpu("A", 0, 4), bad);
    assertEquals(20, inventory.units());
    assertEquals(OptionalLong.of(16), inventory.largestDevice());
    assertEquals(OptionalLong.empty(), Inventory.EMPTY.largestDevice());
    assertEquals(0, Inventory.EMPTY.units());
  }

  @Test
  void sumOfUnitsNeverWraps() {
    Device huge =
        new Device(
            Given.uuid("A"),
            0,
            "",
            Optional.empty(),
            Memory.ZERO,
            Memory.ZERO,
            Long.MAX_VALUE,
            java.util.OptionalInt.empty(),
            Health.HEALTHY);
    assertEquals(Long.MAX_VALUE, Given.inventory(huge, Given.gpu("B", 1, 16)).units());
  }

  @Test
  void findsDevicesByUuid() {
    Inventory inventory = Given.gpus(4, 8);
    assertEquals(8, inventory.device(Given.uuid("B")).orElseThrow().units());
    assertTrue(inventory.has(Given.uuid("A")));
    assertFalse(inventory.has(Given.uuid("C")));
  }

  @Test
  void refusesADeviceTwice() {
    Device device = Given.gpu("A", 0, 4);
    Device again = Given.gpu("A", 1, 4);
    assertThrows(IllegalArgumentException.class, () -> Given.inventory(device, again));
  }

  @Test
  void refusesAUnitOfNothing() {
    List<Device> none = List.of();
    assertThrows(IllegalArgumentException.class, () -> new Inventory(Memory.ZERO, none));
  }

  @Test
  void refusesNegativeNumbers() {
    assertThrows(IllegalArgumentException.class, () -> Given.gpu("A", -1, 4));
    assertThrows(IllegalArgumentException.class, () -> Given.gpu("A", 0, -4));
  }
}
