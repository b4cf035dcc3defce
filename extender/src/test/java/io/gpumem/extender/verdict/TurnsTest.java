package io.gpumem.extender.verdict;

import static io.gpumem.extender.Given.MODEL;
import static io.gpumem.extender.Given.bound;
import static io.gpumem.extender.Given.device;
import static io.gpumem.extender.Given.node;
import static io.gpumem.extender.Given.pod;
import static io.gpumem.extender.Given.wanting;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Health;
import io.gpumem.extender.RunningView;
import io.gpumem.extender.view.ClusterSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TurnsTest {

  private static final String OTHER = "NVIDIA A100";

  private final Turns turns = new Turns();
  private final Filter filter = new Filter(Policy.BINPACK, turns);
  private final PodFacts unlike = wanting(pod("unlike", 4), 1, OTHER);

  private static NodeFacts twoModels(String name) {
    return node(
        name,
        List.of(
            device(name, 0, MODEL, 64, Health.HEALTHY), device(name, 1, OTHER, 64, Health.HEALTHY)),
        Allocations.NONE);
  }

  /** A cluster where requests for the first model are starting on every node. */
  private static ClusterSnapshot busy(PodFacts... more) {
    var pods = new java.util.ArrayList<PodFacts>(List.of(more));
    pods.add(bound(wanting(pod("a", 4), 1, MODEL), "n1", 0));
    pods.add(bound(wanting(pod("b", 4), 1, MODEL), "n2", 0));
    try (var running = RunningView.of(List.of(twoModels("n1"), twoModels("n2")), pods)) {
      return running.snapshot();
    }
  }

  private List<String> passed(ClusterSnapshot snapshot, PodFacts pod, Duration at) {
    return filter.filter(snapshot, pod, List.of("n1", "n2"), at.toNanos()).passed();
  }

  @Test
  void closesTheBestNodeForAPodThatWaitedLongAndOpensItAgain() {
    // On n2 the wanted device is fuller, so that binpack prefers it.
    var snapshot = busy(bound(wanting(pod("c", 9), 1, OTHER), "n2", 1));
    var stream = wanting(pod("next", 4), 1, MODEL);
    assertEquals(List.of(), passed(snapshot, unlike, Duration.ZERO));
    assertEquals(List.of(), passed(snapshot, unlike, Duration.ofSeconds(10)));
    assertEquals(List.of("n1", "n2"), passed(snapshot, stream, Duration.ofSeconds(10)));
    assertEquals(List.of(), passed(snapshot, unlike, Duration.ofSeconds(11)));
    assertEquals(List.of("n1"), passed(snapshot, stream, Duration.ofSeconds(12)));
    assertEquals(
        List.of("n1", "n2"),
        passed(snapshot, wanting(pod("small", 3), 1, MODEL), Duration.ofSeconds(12)),
        "another size is not touched");
    assertEquals(List.of("n1", "n2"), passed(snapshot, stream, Duration.ofSeconds(16)));
  }

  @Test
  void letsThePodInWhoseTurnItIs() {
    var snapshot = busy();
    passed(snapshot, unlike, Duration.ZERO);
    passed(snapshot, unlike, Duration.ofSeconds(11));
    ClusterSnapshot settled;
    try (var running = RunningView.of(List.of(twoModels("n1"), twoModels("n2")), List.of())) {
      settled = running.snapshot();
    }
    assertTrue(passed(settled, unlike, Duration.ofSeconds(12)).contains("n1"));
    var stream = wanting(pod("next", 4), 1, MODEL);
    assertEquals(List.of("n2"), passed(settled, stream, Duration.ofSeconds(13)));
  }

  @Test
  void beginsAnewForAPodThatHadANodeMeanwhile() {
    var snapshot = busy();
    passed(snapshot, unlike, Duration.ZERO);
    try (var running = RunningView.of(List.of(twoModels("n1")), List.of())) {
      assertEquals(List.of("n1"), passed(running.snapshot(), unlike, Duration.ofSeconds(5)));
    }
    passed(snapshot, unlike, Duration.ofSeconds(11));
    var stream = wanting(pod("next", 4), 1, MODEL);
    assertEquals(List.of("n1", "n2"), passed(snapshot, stream, Duration.ofSeconds(12)));
  }

  @Test
  void beginsAnewForAPodThatWasNotHeardOfForLong() {
    var snapshot = busy();
    passed(snapshot, unlike, Duration.ZERO);
    passed(snapshot, unlike, Duration.ofHours(1));
    var stream = wanting(pod("next", 4), 1, MODEL);
    assertEquals(List.of("n1", "n2"), passed(snapshot, stream, Duration.ofHours(1)));
  }

  @Test
  void remembersABoundedNumberOfPods() {
    for (int i = 0; i < 5_000; i++) {
      var applicant = Applicant.of(pod("p" + i, 4), Policy.BINPACK).orElseThrow();
      turns.refused(applicant, Optional::empty, i);
    }
    assertEquals(1_024, turns.size());
  }
}
