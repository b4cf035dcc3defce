package io.gpumem.extender.verdict;

import static io.gpumem.extender.Given.MODEL;
import static io.gpumem.extender.Given.bound;
import static io.gpumem.extender.Given.created;
import static io.gpumem.extender.Given.device;
import static io.gpumem.extender.Given.node;
import static io.gpumem.extender.Given.nominated;
import static io.gpumem.extender.Given.notReady;
import static io.gpumem.extender.Given.pod;
import static io.gpumem.extender.Given.wanting;
import static io.gpumem.extender.Given.withWish;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.placement.Refusal;
import io.gpumem.extender.RunningView;
import io.gpumem.extender.view.ClusterSnapshot;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FilterTest {

  private final Filter filter = new Filter(Policy.BINPACK);

  private static ClusterSnapshot snapshot(List<NodeFacts> nodes, PodFacts... pods) {
    try (var running = RunningView.of(nodes, List.of(pods))) {
      return running.snapshot();
    }
  }

  private Filtered filter(ClusterSnapshot snapshot, PodFacts pod, String... names) {
    return filter.filter(snapshot, pod, List.of(names), 0);
  }

  @Test
  void passesNodesWithRoomOnOneDeviceInTheOrderOfTheRequest() {
    var snapshot = snapshot(List.of(node("n1", 16), node("n2", 2), node("n3", 4)));
    Filtered filtered = filter(snapshot, pod("p", 4), "n3", "n2", "n1");
    assertEquals(List.of("n3", "n1"), filtered.passed());
    assertEquals(Map.of("n2", Refusal.TOO_LARGE), filtered.unresolvable());
  }

  @Test
  void refusesUnknownNodesAndNamesThatNoNodeCanHave() {
    var filtered = filter(snapshot(List.of(node("n1", 16))), pod("p", 4), "ghost", "");
    assertEquals(List.of(), filtered.passed());
    assertEquals(
        Map.of("ghost", Refusal.UNKNOWN_NODE, "", Refusal.UNKNOWN_NODE), filtered.unresolvable());
  }

  @Test
  void callsTooLittleCurableAndFragmentedNot() {
    var snapshot =
        snapshot(
            List.of(node("little", 16), node("pieces", 8, 8)),
            bound(pod("a", 10), "little", 0),
            bound(pod("b", 4), "pieces", 0),
            bound(pod("c", 4), "pieces", 1));
    Filtered filtered = filter(snapshot, pod("p", 8), "little", "pieces");
    assertEquals(Map.of("little", Refusal.TOO_LITTLE), filtered.failed());
    assertEquals(Map.of("pieces", Refusal.FRAGMENTED), filtered.unresolvable());
  }

  @Test
  void callsFragmentedCurableOnThePodsOwnNominatedNode() {
    var snapshot =
        snapshot(
            List.of(node("n1", 8, 8), node("n2", 8, 8)),
            bound(pod("a", 4), "n1", 0),
            bound(pod("b", 4), "n1", 1),
            bound(pod("c", 4), "n2", 0),
            bound(pod("d", 4), "n2", 1));
    Filtered filtered = filter(snapshot, nominated(pod("p", 8), "n1", 0), "n1", "n2");
    assertEquals(Map.of("n1", Refusal.FRAGMENTED), filtered.failed());
    assertEquals(Map.of("n2", Refusal.FRAGMENTED), filtered.unresolvable());
  }

  @Test
  void refusesAWishThatCannotBeUnderstood() {
    var confused = withWish(pod("p", 4), Decoded.malformed("policy: expected binpack or spread"));
    Filtered filtered = filter(snapshot(List.of(node("n1", 16))), confused, "n1");
    assertEquals(Map.of("n1", Refusal.BAD_ANNOTATION), filtered.unresolvable());
  }

  @Test
  void doesNotCountAPodAgainstItself() {
    var snapshot = snapshot(List.of(node("n1", 16)), bound(pod("p", 10), "n1", 0));
    assertEquals(List.of("n1"), filter(snapshot, pod("p", 10), "n1").passed());
  }

  @Test
  void countsNomineesThatAreAhead() {
    var ahead = nominated(pod("ahead", 10), "n1", 10);
    var snapshot = snapshot(List.of(node("n1", 16)), ahead);
    Filtered filtered = filter(snapshot, pod("p", 10), "n1");
    assertEquals(Map.of("n1", Refusal.TOO_LITTLE), filtered.failed());
  }

  @Test
  void doesNotCountNomineesThatAreBehindNorItself() {
    var young = nominated(created(pod("young", 10), 2_000), "n1", 0);
    var self = nominated(created(pod("p", 10), 1_000), "n1", 0);
    var snapshot = snapshot(List.of(node("n1", 16)), young, self);
    assertEquals(List.of("n1"), filter(snapshot, self, "n1").passed());
  }

  @Test
  void countsOfANomineeWithALargeInitContainerOnlyItsPeak() {
    var ahead =
        nominated(
            pod(
                "ahead",
                new ContainerDemand("i1", Phase.INIT, 10),
                new ContainerDemand("i2", Phase.INIT, 10),
                new ContainerDemand("main", Phase.APP, 4)),
            "n1",
            10);
    var snapshot = snapshot(List.of(node("n1", 16)), ahead);
    assertEquals(List.of("n1"), filter(snapshot, pod("p", 6), "n1").passed());
    assertEquals(List.of(), filter(snapshot, pod("p", 7), "n1").passed());
  }

  @Test
  void placesNomineesByTheirOwnOrder() {
    // The first takes 5 of 8, the second then only fits on the other device.
    var first = nominated(pod("first", 5), "n1", 9);
    var second = nominated(pod("second", 5), "n1", 8);
    var snapshot = snapshot(List.of(node("n1", 8, 8)), second, first);
    assertEquals(List.of("n1"), filter(snapshot, pod("p", 3), "n1").passed());
    assertEquals(
        Map.of("n1", Refusal.FRAGMENTED), filter(snapshot, pod("p", 4), "n1").unresolvable());
  }

  private static NodeFacts twoModels() {
    return node(
        "n1",
        List.of(
            device("n1", 0, MODEL, 16, Health.HEALTHY),
            device("n1", 1, "NVIDIA A100", 16, Health.HEALTHY)),
        Allocations.NONE);
  }

  @Test
  void refusesARequestThatOnlyItsSizeTellsFromOneThatIsStarting() {
    var starting = bound(wanting(pod("a", 4), 1, MODEL), "n1", 0);
    var snapshot = snapshot(List.of(twoModels()), starting);
    var unlike = wanting(pod("p", 4), 1, "NVIDIA A100");
    assertEquals(Map.of("n1", Refusal.UNLIKE), filter(snapshot, unlike, "n1").unresolvable());
    assertEquals(
        Map.of("n1", Refusal.UNLIKE), filter(snapshot, nominated(unlike, "n1", 0), "n1").failed());
    assertEquals(
        List.of("n1"),
        filter(snapshot, wanting(pod("p", 4), 1, MODEL), "n1").passed(),
        "an equal one passes");
    assertEquals(
        List.of("n1"),
        filter(snapshot, wanting(pod("p", 5), 1, "NVIDIA A100"), "n1").passed(),
        "one of another size passes");
  }

  @Test
  void letsTwoTextsOfOneChoiceBeAlike() {
    var starting = bound(wanting(pod("a", 4), 1, MODEL, "NVIDIA A100"), "n1", 0);
    var snapshot = snapshot(List.of(twoModels()), starting);
    assertEquals(List.of("n1"), filter(snapshot, pod("p", 4), "n1").passed());
  }

  @Test
  void refusesAnythingOfTheSizeOfAPodWithAnInitRequestThatIsStarting() {
    var starting =
        bound(
            pod(
                "a",
                new ContainerDemand("init", Phase.INIT, 4),
                new ContainerDemand("main", Phase.APP, 8)),
            "n1",
            0);
    var snapshot = snapshot(List.of(node("n1", 16, 16)), starting);
    assertEquals(Map.of("n1", Refusal.UNLIKE), filter(snapshot, pod("p", 4), "n1").unresolvable());
    assertEquals(Map.of("n1", Refusal.UNLIKE), filter(snapshot, pod("p", 8), "n1").unresolvable());
    assertEquals(List.of("n1"), filter(snapshot, pod("p", 5), "n1").passed());
  }

  @Test
  void doesNotMindUnlikeRequestsOnANodeThatIsNotReady() {
    var starting = bound(wanting(pod("a", 4), 1, MODEL), "n1", 0);
    var snapshot = snapshot(List.of(notReady(twoModels())), starting);
    var unlike = wanting(pod("p", 4), 1, "NVIDIA A100");
    assertEquals(List.of("n1"), filter(snapshot, unlike, "n1").passed());
  }

  @Test
  void takesEveryTextFromAFixedSetWithoutNumbersAndNames() {
    for (Refusal refusal : Refusal.values()) {
      assertEquals(refusal.text(), refusal.text().replaceAll("[0-9]|n1|team-a", ""));
    }
  }
}
