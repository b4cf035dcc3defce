package io.gpumem.core.demand;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.world.Given;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DeviceChoiceTest {

  private static final Inventory MIXED =
      Given.inventory(
          Given.gpu("A", 0, 16, "NVIDIA H200", Health.HEALTHY),
          Given.gpu("B", 1, 16, "NVIDIA H200", new Health.Unhealthy("XID 79")),
          Given.gpu("C", 2, 16, "NVIDIA L4", Health.HEALTHY));

  @Test
  void acceptsAnyModelWhenNoneIsWanted() {
    assertEquals(
        Set.of(Given.uuid("A"), Given.uuid("B"), Given.uuid("C")),
        DeviceChoice.ANY.admissible(MIXED));
  }

  @Test
  void acceptsWantedModelsByWholeNameHealthyOrNot() {
    assertEquals(
        Set.of(Given.uuid("A"), Given.uuid("B")),
        new DeviceChoice(1, Set.of("NVIDIA H200")).admissible(MIXED));
    assertTrue(new DeviceChoice(1, Set.of("H200")).admissible(MIXED).isEmpty());
    assertFalse(new DeviceChoice(1, Set.of("nvidia l4")).accepts(MIXED.devices().getLast()));
  }

  @Test
  void refusesLessThanOneDevice() {
    Set<String> any = Set.of();
    assertThrows(IllegalArgumentException.class, () -> new DeviceChoice(0, any));
  }
}
