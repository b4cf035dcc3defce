package io.gpumem.core.units;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gpumem.core.world.Given;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UnitsTest {

  @Test
  void sumsStopAtTheLargestLong() {
    assertEquals(7, Units.sum(3, 4));
    assertEquals(Long.MAX_VALUE, Units.sum(Long.MAX_VALUE, 0));
    assertEquals(Long.MAX_VALUE, Units.sum(Long.MAX_VALUE, 1));
    assertEquals(Long.MAX_VALUE, Units.sum(Long.MAX_VALUE, Long.MAX_VALUE));
    assertEquals(Long.MAX_VALUE, Units.sum(1L << 62, 1L << 62));
    assertEquals(Long.MAX_VALUE, Units.total(Given.on("A", Long.MAX_VALUE, "B", 2)));
  }

  @Test
  void addsDeviceByDevice() {
    Map<DeviceUuid, Long> into = new HashMap<>(Given.on("A", 3));
    Units.add(into, Given.on("A", 4, "B", 5));
    assertEquals(Given.on("A", 7, "B", 5), into);
    Units.add(into, Given.on("A", Long.MAX_VALUE));
    assertEquals(Given.on("A", Long.MAX_VALUE, "B", 5), into);
  }

  @Test
  void takesTheLargerDeviceByDevice() {
    Map<DeviceUuid, Long> larger = Units.larger(Given.on("A", 3, "B", 5), Given.on("A", 4, "B", 1));
    assertEquals(Given.on("A", 4, "B", 5), larger);
    assertEquals(Given.on("A", 3), Units.larger(Map.of(), Given.on("A", 3)));
  }

  @Test
  void copiesDoNotChangeWithTheirOriginal() {
    Map<DeviceUuid, Long> original = new HashMap<>(Given.on("A", 3));
    Map<DeviceUuid, Long> copy = Units.copy(original);
    original.put(Given.uuid("A"), 9L);
    assertEquals(Given.on("A", 3), copy);
    assertThrows(UnsupportedOperationException.class, () -> copy.put(Given.uuid("B"), 1L));
  }
}
