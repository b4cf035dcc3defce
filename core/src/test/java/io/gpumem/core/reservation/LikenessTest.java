package io.gpumem.core.reservation;

import static io.gpumem.core.world.PodSketch.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.world.Given;
import io.gpumem.core.world.PodSketch;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LikenessTest {

  private static final Inventory MIXED =
      Given.inventory(
          Given.gpu("A", 0, 16, "NVIDIA H200", Health.HEALTHY),
          Given.gpu("B", 1, 16, "NVIDIA L4", Health.HEALTHY));

  private static Likeness of(PodSketch pod, DeviceChoice choice) {
    return Likeness.of(pod.facts(), pod.containers().getLast(), choice, MIXED);
  }

  private static final Likeness PLAIN = of(pod("p").app("main", 8), DeviceChoice.ANY);

  @Test
  void requestsOfOneSizeAndChoiceAreAlike() {
    assertEquals(PLAIN, of(pod("q").app("other", 8), DeviceChoice.ANY));
    assertFalse(PLAIN.isConfusedWith(of(pod("q").app("other", 8), DeviceChoice.ANY)));
  }

  @Test
  void otherSizesAreToldApart() {
    Likeness other = of(pod("q").app("main", 7), new DeviceChoice(2, Set.of("NVIDIA L4")));
    assertNotEquals(PLAIN, other);
    assertFalse(PLAIN.isConfusedWith(other));
  }

  @Test
  void otherNumbersOfDevicesOfOneSizeAreConfused() {
    assertTrue(PLAIN.isConfusedWith(of(pod("q").app("main", 8), new DeviceChoice(2, Set.of()))));
  }

  @Test
  void modelsAreJudgedByTheDevicesOfThisNode() {
    DeviceChoice all = new DeviceChoice(1, Set.of("NVIDIA L4", "NVIDIA H200"));
    assertEquals(PLAIN, of(pod("q").app("main", 8), all));
    DeviceChoice one = new DeviceChoice(1, Set.of("NVIDIA L4"));
    assertTrue(PLAIN.isConfusedWith(of(pod("q").app("main", 8), one)));
  }

  @Test
  void aPodWithAnInitRequestIsLikeItselfOnly() {
    Likeness init = of(pod("q").init("i", 4).app("main", 8), DeviceChoice.ANY);
    assertTrue(PLAIN.isConfusedWith(init));
    assertTrue(init.isConfusedWith(of(pod("r").init("i", 4).app("main", 8), DeviceChoice.ANY)));
    assertEquals(init, of(pod("q").init("i", 4).app("main", 8), DeviceChoice.ANY));
  }

  @Test
  void aSidecarMakesNoDifference() {
    assertEquals(PLAIN, of(pod("q").sidecar("s", 2).app("main", 8), DeviceChoice.ANY));
  }
}
