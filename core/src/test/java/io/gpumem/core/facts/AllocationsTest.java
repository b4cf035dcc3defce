package io.gpumem.core.facts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import io.gpumem.core.world.Given;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AllocationsTest {

  private static final PodName NAME = new PodName("team-a", "p");

  private static PodAllocation pod(
      Map<String, Map<DeviceUuid, Long>> containers, Map<DeviceUuid, Long> init) {
    return new PodAllocation(NAME, containers, init);
  }

  @Test
  void sumsWhatIsShownByDevice() {
    PodAllocation pod =
        pod(Map.of("c1", Given.on("A", 3), "c2", Given.on("A", 4, "B", 1)), Given.on("A", 9));
    assertEquals(Given.on("A", 7, "B", 1), pod.shown());
  }

  @Test
  void holdsNothingOnlyWithoutContainersAndInit() {
    assertTrue(pod(Map.of(), Map.of()).holdsNothing());
    assertFalse(pod(Map.of("c1", Given.on("A", 3)), Map.of()).holdsNothing());
    assertFalse(pod(Map.of(), Given.on("A", 3)).holdsNothing());
  }

  @Test
  void refusesAmountsOfNothing() {
    for (long units : new long[] {0, -1, Long.MIN_VALUE}) {
      Map<DeviceUuid, Long> devices = Given.on("A", units);
      assertThrows(IllegalArgumentException.class, () -> pod(Map.of("c1", devices), Map.of()));
      assertThrows(IllegalArgumentException.class, () -> pod(Map.of(), devices));
      assertThrows(
          IllegalArgumentException.class, () -> new Allocations(Map.of(), Map.of(NAME, devices)));
    }
  }

  @Test
  void copiesDoNotChangeWithTheirOriginal() {
    Map<DeviceUuid, Long> devices = new HashMap<>(Given.on("A", 3));
    Allocations allocations = new Allocations(Map.of(), Map.of(NAME, devices));
    devices.put(Given.uuid("B"), 4L);
    assertEquals(Map.of(NAME, Given.on("A", 3)), allocations.names());
  }
}
