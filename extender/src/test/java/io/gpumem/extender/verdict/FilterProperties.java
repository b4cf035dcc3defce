package io.gpumem.extender.verdict;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.extender.Given;
import io.gpumem.extender.RunningView;
import io.gpumem.extender.view.ClusterSnapshot;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FilterProperties {

  private static final int NODES = 12;

  static LongStream seeds() {
    return LongStream.range(0, 40);
  }

  private static RunningView cluster(Random chance) {
    List<NodeFacts> nodes = new ArrayList<>();
    List<PodFacts> pods = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      String name = "n" + i;
      nodes.add(Given.node(name, 1 + chance.nextInt(16), 1 + chance.nextInt(16)));
      for (int j = chance.nextInt(4); j > 0; j--) {
        PodFacts pod = Given.pod("p" + i + "-" + j, 1 + chance.nextInt(8));
        pods.add(
            chance.nextInt(5) == 0
                ? Given.nominated(pod, name, chance.nextInt(3))
                : Given.bound(pod, name, chance.nextInt(2)));
      }
    }
    return RunningView.of(nodes, pods);
  }

  private static List<String> names(Random chance) {
    List<String> names = new ArrayList<>(List.of("ghost", ""));
    for (int i = 0; i < NODES; i++) {
      if (chance.nextBoolean()) {
        names.add("n" + i);
      }
    }
    Collections.shuffle(names, chance);
    return names;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void sortsEveryNameIntoOnePlaceAndAlwaysAlikeWithoutATrace(long seed) {
    var chance = new Random(seed);
    var filter = new Filter(Policy.BINPACK);
    try (var running = cluster(chance)) {
      ClusterSnapshot before = running.snapshot();
      List<String> names = names(chance);
      PodFacts pod = Given.pod("probe", 1 + chance.nextInt(17));
      Filtered first = filter.filter(before, pod, names, 0);
      List<String> all = new ArrayList<>(first.passed());
      all.addAll(first.failed().keySet());
      all.addAll(first.unresolvable().keySet());
      assertEquals(
          names.stream().sorted().toList(), all.stream().sorted().toList(), "seed " + seed);
      for (int i = 1; i <= 100; i++) {
        assertEquals(first, filter.filter(before, pod, names, i), "seed " + seed);
      }
      running.settle();
      assertSame(before, running.snapshot(), "seed " + seed);
    }
  }
}
