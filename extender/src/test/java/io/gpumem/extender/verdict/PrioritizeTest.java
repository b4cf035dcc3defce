package io.gpumem.extender.verdict;

import static io.gpumem.extender.Given.bound;
import static io.gpumem.extender.Given.node;
import static io.gpumem.extender.Given.pod;
import static io.gpumem.extender.Given.wanting;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.extender.RunningView;
import io.gpumem.extender.view.ClusterSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PrioritizeTest {

  private static ClusterSnapshot snapshot(List<NodeFacts> nodes, PodFacts... pods) {
    try (var running = RunningView.of(nodes, List.of(pods))) {
      return running.snapshot();
    }
  }

  private static Map<String, Integer> scores(
      Policy standard, ClusterSnapshot snapshot, PodFacts pod, String... names) {
    return new Prioritize(standard).scores(snapshot, pod, List.of(names));
  }

  @Test
  void prefersTheTightestDeviceUnderBinpackAndTheEmptiestUnderSpread() {
    var snapshot =
        snapshot(
            List.of(node("n1", 16), node("n2", 16), node("n3", 16)),
            bound(pod("a", 4), "n1", 0),
            bound(pod("b", 8), "n2", 0));
    assertEquals(
        Map.of("n1", 9, "n2", 10, "n3", 8),
        scores(Policy.BINPACK, snapshot, pod("p", 4), "n1", "n2", "n3"));
    assertEquals(
        Map.of("n1", 9, "n2", 8, "n3", 10),
        scores(Policy.SPREAD, snapshot, pod("p", 4), "n1", "n2", "n3"));
  }

  @Test
  void breaksATieOfDevicesByTheFullerNode() {
    var snapshot =
        snapshot(
            List.of(node("n1", 16, 16), node("n2", 16, 16)),
            bound(pod("a", 4), "n1", 0),
            bound(pod("b", 4), "n2", 0),
            bound(pod("c", 2), "n2", 1));
    assertEquals(
        Map.of("n1", 9, "n2", 10), scores(Policy.BINPACK, snapshot, pod("p", 4), "n1", "n2"));
  }

  @Test
  void letsThePodsOwnPolicyWin() {
    var snapshot = snapshot(List.of(node("n1", 16), node("n2", 16)), bound(pod("a", 4), "n1", 0));
    var pod = wanting(pod("p", 4), Policy.SPREAD);
    assertEquals(Map.of("n1", 9, "n2", 10), scores(Policy.BINPACK, snapshot, pod, "n1", "n2"));
  }

  @Test
  void answersEveryHostAlsoThoseWithoutRoomAndUnknownOnes() {
    var snapshot = snapshot(List.of(node("n1", 16), node("n2", 2)));
    assertEquals(
        Map.of("ghost", 0, "n1", 10, "n2", 0),
        scores(Policy.BINPACK, snapshot, pod("p", 4), "ghost", "n1", "n2"));
  }

  @Test
  void givesAlikeNodesAlikeScoresAndOneWinnerWhereCostsDiffer() {
    List<NodeFacts> nodes = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      nodes.add(node("n" + i, 20 + i / 2));
    }
    String[] names = nodes.stream().map(each -> each.name().text()).toArray(String[]::new);
    var scores = scores(Policy.BINPACK, snapshot(nodes), pod("p", 4), names);
    assertEquals(40, scores.size());
    assertEquals(2, scores.values().stream().filter(score -> score == 10).count());
    assertEquals(scores.get("n0"), scores.get("n1"));
    assertEquals(0, scores.get("n39"));
  }
}
