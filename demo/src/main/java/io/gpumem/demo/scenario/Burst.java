package io.gpumem.demo.scenario;

import io.gpumem.demo.world.PodPlan;
import io.gpumem.plugin.kubelet.fake.KubeletContainer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;

/** Forty pods of unlike sizes and shapes, the same in each run. */
final class Burst {

  private static final int PODS = 40;
  private static final long SEED = 5;
  private static final int[] SIZES = {1, 1, 2, 2, 3, 4, 5, 7};

  private Burst() {}

  static List<PodPlan> pods(String resource) {
    Random random = new Random(SEED);
    List<PodPlan> pods = new ArrayList<>();
    for (int i = 1; i <= PODS; i++) {
      String name = String.format(Locale.ROOT, "job-%02d", i);
      pods.add(new PodPlan(name, Optional.empty(), containers(i, resource, random)));
    }
    return pods;
  }

  private static List<KubeletContainer> containers(int i, String resource, Random random) {
    int units = SIZES[random.nextInt(SIZES.length)];
    KubeletContainer main = KubeletContainer.app("main", resource, units);
    return switch (i % 8) {
      case 2, 6 -> List.of(main, KubeletContainer.app("second", resource, 1 + units / 2));
      case 4 -> List.of(KubeletContainer.init("load", resource, units + 2), main);
      case 7 -> List.of(KubeletContainer.sidecar("cache", resource, 1), main);
      default -> List.of(main);
    };
  }
}
