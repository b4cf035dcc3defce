package io.gpumem.extender.verdict;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.placement.Refusal;
import io.gpumem.core.placement.Verdict;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.extender.Given;
import io.gpumem.extender.RunningView;
import io.gpumem.extender.view.NodeView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TrialProperties {

  private static final List<String> MODELS = List.of(Given.MODEL, "NVIDIA A100");

  static LongStream seeds() {
    return LongStream.range(0, 300);
  }

  private static NodeFacts node(Random chance) {
    List<Device> devices = new ArrayList<>();
    Set<DeviceUuid> cordoned = new HashSet<>();
    int count = chance.nextInt(5);
    for (int i = 0; i < count; i++) {
      Health health = chance.nextInt(6) == 0 ? new Health.Unhealthy("XID 79") : Health.HEALTHY;
      String model = MODELS.get(chance.nextInt(4) / 3);
      devices.add(Given.device("n1", i, model, Math.max(0, chance.nextInt(14) - 2), health));
      if (chance.nextInt(8) == 0) {
        cordoned.add(Given.gpu("n1", i));
      }
    }
    NodeFacts facts = Given.node("n1", devices, Allocations.NONE);
    return new NodeFacts(
        facts.name(), facts.inventory(), cordoned, Allocations.NONE, chance.nextInt(5) > 0);
  }

  private static PodFacts pod(String name, Random chance) {
    List<ContainerDemand> containers = new ArrayList<>();
    if (chance.nextInt(4) == 0) {
      containers.add(new ContainerDemand("init", Phase.INIT, 1 + chance.nextInt(8)));
    }
    int apps = chance.nextInt(5) == 0 ? 2 : 1;
    for (int i = 0; i < apps; i++) {
      containers.add(new ContainerDemand("app" + i, Phase.APP, 1 + chance.nextInt(9)));
    }
    PodFacts pod = Given.pod(name, containers.toArray(ContainerDemand[]::new));
    return switch (chance.nextInt(6)) {
      case 0 -> Given.wanting(pod, 2);
      case 1 -> Given.wanting(pod, 1, MODELS.get(chance.nextInt(2)));
      case 2 -> Given.wanting(pod, Policy.SPREAD);
      default -> pod;
    };
  }

  private static List<PodFacts> pods(Random chance) {
    List<PodFacts> pods = new ArrayList<>();
    int count = chance.nextInt(6);
    for (int i = 0; i < count; i++) {
      PodFacts pod = pod("p" + i, chance);
      pods.add(
          chance.nextInt(4) == 0
              ? Given.nominated(pod, "n1", chance.nextInt(3))
              : Given.bound(pod, "n1", chance.nextInt(4)));
    }
    return pods;
  }

  private static Optional<Refusal> bySearch(NodeView node, Applicant applicant) {
    return switch (Trial.on(node, applicant, Closures.NONE, Policy.BINPACK)) {
      case Verdict.Refused(Refusal why) -> Optional.of(why);
      case Verdict.Fits fits -> Optional.empty();
    };
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void answersPlainQuestionsAsTheSearchDoes(long seed) {
    var chance = new Random(seed);
    try (var running = RunningView.of(List.of(node(chance)), pods(chance))) {
      NodeView node = running.node("n1");
      for (int i = 0; i < 20; i++) {
        // Sometimes one of those that count there already.
        PodFacts pod = pod(chance.nextInt(5) == 0 ? "p0" : "probe" + i, chance);
        Applicant applicant = Applicant.of(running.snapshot(), pod, Policy.BINPACK).orElseThrow();
        assertEquals(
            bySearch(node, applicant),
            Trial.refusal(node, applicant, Closures.NONE, Policy.BINPACK),
            () -> "seed " + seed + ", " + pod);
        assertEquals(
            Preference.searched(node, applicant, Policy.BINPACK),
            Preference.of(node, applicant, Policy.BINPACK),
            () -> "seed " + seed + ", " + pod);
      }
    }
  }
}
