package io.gpumem.plugin.allocate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class UnitSetTest {

  private static final List<DeviceUuid> DEVICES = List.of(Known.A, Known.B, Known.C);

  @Test
  void leavesOutTextsThatAreNoIds() {
    List<String> texts =
        List.of(
            "GPU-a::1",
            "GPU-a::01",
            "GPU-a::",
            "GPU-a",
            "",
            "GPU a::1",
            "GPU-a::1::2",
            "GPU-a::1048576",
            "GPU-a::3",
            "GPU-b::0",
            "GPU-b::x",
            "::1",
            "GPU-a::1");

    List<String> read = UnitSet.parsed(texts).sorted().stream().map(DeviceId::toString).toList();

    assertEquals(List.of("GPU-a::1", "GPU-a::3", "GPU-b::0"), read);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void isAnOrdinarySetOfIds(long seed) {
    Random chance = new Random(seed);
    for (int round = 0; round < 500; round++) {
      String where = "seed " + seed + " round " + round;
      Set<DeviceId> left = some(chance);
      Set<DeviceId> right = some(chance);
      UnitSet one = UnitSet.copyOf(left);
      UnitSet other = UnitSet.parsed(shuffledTexts(right, chance));

      assertAlike(left, one, where);
      assertAlike(union(left, right), one.plus(other), where);
      assertAlike(rest(left, right), one.minus(other), where);
      assertAlike(rest(left, rest(left, right)), one.and(other), where);
      assertEquals(Collections.disjoint(left, right), one.isDisjoint(other), where);
      assertEquals(left.containsAll(right), one.containsAll(other), where);
      assertEquals(left.equals(right), one.equals(other), where);
    }
  }

  private static void assertAlike(Set<DeviceId> expected, UnitSet actual, String where) {
    assertEquals(expected, actual, where);
    assertEquals(expected.hashCode(), actual.hashCode(), where);
    assertEquals(expected.size(), actual.size(), where);
    assertEquals(expected.isEmpty(), actual.isEmpty(), where);
    assertEquals(List.copyOf(new TreeSet<>(expected)), actual.sorted(), where);
    Map<DeviceUuid, Long> counts = new HashMap<>();
    expected.forEach(id -> counts.merge(id.device(), 1L, Long::sum));
    assertEquals(counts, actual.counts(), where);
    for (DeviceUuid device : DEVICES) {
      long count = counts.getOrDefault(device, 0L);
      assertEquals(count, actual.count(device), where);
      assertEquals(Math.min(2, count), actual.first(device, 2).size(), where);
      assertEquals(count, actual.on(device).size(), where);
      assertFalse(actual.contains(new DeviceId(device, 100)), where);
      assertTrue(actual.containsAll(actual.first(device, 2)), where);
    }
  }

  private static Set<DeviceId> some(Random chance) {
    Set<DeviceId> some = new HashSet<>();
    for (int i = chance.nextInt(12); i > 0; i--) {
      some.add(new DeviceId(DEVICES.get(chance.nextInt(3)), chance.nextInt(6)));
    }
    return some;
  }

  private static List<String> shuffledTexts(Set<DeviceId> ids, Random chance) {
    List<String> texts = new ArrayList<>();
    ids.forEach(id -> texts.add(id.toString()));
    Collections.shuffle(texts, chance);
    return texts;
  }

  private static Set<DeviceId> union(Set<DeviceId> left, Set<DeviceId> right) {
    Set<DeviceId> union = new HashSet<>(left);
    union.addAll(right);
    return union;
  }

  private static Set<DeviceId> rest(Set<DeviceId> left, Set<DeviceId> right) {
    Set<DeviceId> rest = new HashSet<>(left);
    rest.removeAll(right);
    return rest;
  }
}
