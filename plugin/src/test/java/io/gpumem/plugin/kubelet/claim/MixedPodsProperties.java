package io.gpumem.plugin.kubelet.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pods of all kinds of containers come and go; the kubelet shows less of them than it holds. */
class MixedPodsProperties {

  private static final int STEPS = 150;
  private static final int BETWEEN_RESTS = 50;

  static LongStream seeds() {
    return LongStream.range(0, 150);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aPlannedPodIsServedAndTheBooksAreTheTable(long seed) {
    MixedPods node = new MixedPods(seed);
    int served = 0;
    for (int step = 1; step <= STEPS; step++) {
      node.step();
      String where = "seed " + seed + ", step " + step;
      assertEquals(List.of(), node.refusals(), where);
      long fullest = node.fullest();
      assertTrue(fullest <= MixedPods.UNITS, () -> where + ": books " + node.deciding());
      if (step % BETWEEN_RESTS == 0) {
        node.comeToRest();
        served += node.served();
        assertEquals(List.of(), node.refusals(), where);
        assertEquals(node.truth(), node.books(), where);
        assertEquals(node.truth(), node.deciding(), where);
      }
    }
    assertTrue(served > 0, "seed " + seed + ": nothing happened");
  }
}
