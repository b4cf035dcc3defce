package io.gpumem.plugin.allocate;

import static io.gpumem.plugin.allocate.Known.A;
import static io.gpumem.plugin.allocate.Known.B;
import static io.gpumem.plugin.allocate.Known.ids;
import static io.gpumem.plugin.allocate.Known.inventory;
import static io.gpumem.plugin.allocate.Known.loner;
import static io.gpumem.plugin.allocate.Known.name;
import static io.gpumem.plugin.allocate.Known.parsed;
import static io.gpumem.plugin.allocate.Known.pod;
import static io.gpumem.plugin.allocate.Known.shows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.ledger.Outstanding;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodUid;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class NodeStateTest {

  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final NodeState state = new NodeState(Known.NODE);

  NodeStateTest() {
    state.inventory(inventory(16, 16));
  }

  @Test
  void keepsRequestsInTheOrderInWhichTheirPodsAppeared() {
    state.podSeen(pod("z", 4, A), 0);
    state.podSeen(pod("a", 4, B), 1);
    state.podSeen(pod("z", 4, A), 2);

    assertEquals(List.of("z", "a"), outstanding());
  }

  @Test
  void countsAnAnswerForOneRequestOfItsSize() {
    state.podSeen(pod("a", 10, A), 0);
    state.podSeen(pod("b", 10, B), 0);

    state.answered(parsed(ids(B, 0, 10)), 1);

    assertEquals(List.of("a"), outstanding());
    assertEquals(Map.of(A, 10L, B, 10L), used());
    assertEquals(Allocations.NONE, state.view().facts().allocations(), "published is what shows");
  }

  @Test
  void movesThePlanOfTheOtherWhenTheKubeletSwappedTwo() {
    state.podSeen(pod("a", 10, A), 0);
    state.podSeen(pod("b", 10, B), 0);

    state.shown(shows("a", 1, Map.of("main", ids(B, 0, 10))), 1);

    Outstanding left = state.view().effective().outstanding().getFirst();
    assertEquals("b", left.name().name());
    assertEquals(Map.of(A, 10L), left.devices());
  }

  @Test
  void booksAnInitOnlyPodWhereItsAnswerWas() {
    PodFacts init =
        pod(
            "init",
            List.of(new ContainerDemand("setup", Phase.INIT, 6)),
            Optional.of(Map.of("setup", Map.of(A, 6L))));
    state.podSeen(init, 0);

    state.answered(parsed(ids(B, 0, 6)), 1);
    for (long at = 2 * SECOND; at <= 20 * SECOND; at += 6 * SECOND) {
      state.shown(shows("init", at, Map.of()), at);
    }

    assertEquals(Map.of(B, 6L), published(init).init());
    assertEquals(Map.of(B, 6L), used());
    assertEquals(parsed(ids(B, 0, 6)), state.heldIds());
  }

  @Test
  void keepsAllThatInitContainersHeldWhenALaterOneAsksLess() {
    PodFacts init =
        pod(
            "init",
            List.of(
                new ContainerDemand("large", Phase.INIT, 6),
                new ContainerDemand("small", Phase.INIT, 2)),
            Optional.of(Map.of("large", Map.of(A, 6L), "small", Map.of(A, 2L))));
    state.podSeen(init, 0);

    state.answered(parsed(ids(A, 0, 6)), 1);
    state.answered(parsed(ids(A, 0, 2)), 2);

    assertEquals(parsed(ids(A, 0, 6)), state.heldIds());
  }

  @Test
  void countsAContainerThatReusesAnInitContainersUnitsOnce() {
    PodFacts reusing =
        pod(
            "reusing",
            List.of(
                new ContainerDemand("setup", Phase.INIT, 4),
                new ContainerDemand("main", Phase.APP, 6)),
            Optional.of(Map.of("setup", Map.of(A, 4L), "main", Map.of(A, 6L))));
    state.podSeen(reusing, 0);

    state.answered(parsed(ids(A, 0, 4)), 1);
    assertEquals(Map.of(A, 6L), used());
    state.answered(parsed(ids(A, 0, 6)), 2);
    assertEquals(Map.of(A, 6L), used());
  }

  @Test
  void leavesIdsWithTheOldPodOfANameUntilTheyAreGivenAgain() {
    state.podSeen(named("uid-1", "web-0", 4), 0);
    state.shown(shows("web-0", 1, Map.of("main", ids(A, 0, 4))), 1);
    state.podGone(new PodUid("uid-1"));
    state.podSeen(named("uid-2", "web-0", 4), 2);

    // The kubelet's answer began before it knew the new pod.
    state.shown(shows("web-0", 3, Map.of("main", ids(A, 0, 4))), 3);
    assertEquals(Set.of(), state.view().facts().allocations().pods().keySet());
    assertEquals(Map.of(name("web-0"), Map.of(A, 4L)), state.view().facts().allocations().names());

    state.answered(parsed(ids(A, 0, 4)), 4);
    state.shown(shows("web-0", 5, Map.of("main", ids(A, 0, 4))), 5);
    assertEquals(Set.of(new PodUid("uid-2")), state.view().facts().allocations().pods().keySet());
    assertEquals(Map.of(), state.view().facts().allocations().names());
  }

  @Test
  void takesAPodThatIsListedEmptyTwiceFiveSecondsApartToHoldNothing() {
    PodFacts without = loner("without", 4);
    state.podSeen(without, 0);
    state.shown(shows("without", SECOND, Map.of()), SECOND);
    state.shown(shows("without", 6 * SECOND - 1, Map.of()), 6 * SECOND - 1);
    assertFalse(state.view().facts().allocations().pods().containsKey(without.uid()));
    assertEquals(4L, state.view().books().ledger().unplaced());

    state.shown(shows("without", 6 * SECOND, Map.of()), 6 * SECOND);

    assertTrue(published(without).holdsNothing());
    assertEquals(0L, state.view().books().ledger().unplaced());
  }

  @Test
  void neverTakesAPodWithAnInitRequestToHoldNothing() {
    PodFacts init =
        pod(
            "init",
            List.of(new ContainerDemand("setup", Phase.INIT, 6)),
            Optional.of(Map.of("setup", Map.of(A, 6L))));
    state.podSeen(init, 0);
    for (long at = SECOND; at <= 30 * SECOND; at += 6 * SECOND) {
      state.shown(shows("init", at, Map.of()), at);
    }

    assertEquals(Map.of(A, 6L), used());
  }

  @Test
  void keepsWhatTheLastRunPublishedOfAPodThatTheKubeletForgot() {
    PodFacts old = loner("old", 4);
    state.podSeen(old, 0);
    state.published(allocations(old, Map.of("main", Map.of(B, 4L))));
    for (long at = SECOND; at <= 20 * SECOND; at += 6 * SECOND) {
      state.shown(shows("old", at, Map.of()), at);
    }

    assertEquals(Map.of(B, 4L), used());
    assertEquals(0L, state.view().books().ledger().unplaced());
  }

  @Test
  void believesNoPublishedAmountThatTheSpecDoesNotAsk() {
    PodFacts old = loner("old", 4);
    state.podSeen(old, 0);
    state.published(allocations(old, Map.of("main", Map.of(B, 1L))));
    assertEquals(Map.of(), used());

    state.published(allocations(old, Map.of("main", Map.of(Known.C, 4L))));
    assertEquals(Map.of(), used(), "no device of this node");
  }

  @Test
  void forgetsWhatTheLastRunPublishedOnceTheTableShowsThePod() {
    PodFacts old = loner("old", 4);
    state.podSeen(old, 0);
    state.published(allocations(old, Map.of("main", Map.of(B, 4L))));
    state.shown(shows("old", 1, Map.of("main", ids(A, 0, 4))), 1);
    assertEquals(Map.of(A, 4L), used());

    // It has ended, and the API server does not say so yet.
    state.shown(shows("old", 2, Map.of()), 2);
    assertEquals(Map.of(), used());
  }

  @Test
  void knowsInitHoldingsFromTheKubeletsFile() {
    PodFacts init =
        pod("init", List.of(new ContainerDemand("setup", Phase.INIT, 6)), Optional.empty());
    state.checkpointed(Map.of(init.uid(), Map.of("setup", parsed(ids(B, 1, 7)))));
    assertEquals(Set.of(), state.heldIds());

    state.podSeen(init, 0);

    assertEquals(Map.of(B, 6L), published(init).init());
    assertEquals(parsed(ids(B, 1, 7)), state.heldIds());
    state.podGone(init.uid());
    assertEquals(Set.of(), state.heldIds());
  }

  private static Allocations allocations(
      PodFacts pod, Map<String, Map<DeviceUuid, Long>> containers) {
    return new Allocations(
        Map.of(pod.uid(), new PodAllocation(pod.name(), containers, Map.of())), Map.of());
  }

  @Test
  void ignoresAReadingThatBeganBeforeTheOneItHas() {
    state.podSeen(loner("p", 4), 0);
    state.shown(shows("p", 5, Map.of("main", ids(A, 0, 4))), 6);

    state.shown(shows("p", 4, Map.of()), 7);

    Set<DeviceId> held = state.heldIds();
    assertEquals(parsed(ids(A, 0, 4)), held);
  }

  @Test
  void forgetsPodsThatAWholeListLacks() {
    state.podSeen(pod("a", 4, A), 0);
    state.podSeen(pod("b", 4, B), 0);

    state.podsListed(List.of(pod("b", 4, B), pod("c", 4, A)), 1);

    assertEquals(List.of("b", "c"), outstanding());
  }

  private static PodFacts named(String uid, String name, long units) {
    PodFacts pod = loner(name, units);
    return new PodFacts(
        new PodUid(uid),
        pod.name(),
        pod.node(),
        pod.nominated(),
        pod.priority(),
        pod.createdMillis(),
        pod.demand(),
        pod.wish(),
        pod.reservation());
  }

  private PodAllocation published(PodFacts pod) {
    return Optional.ofNullable(state.view().facts().allocations().pods().get(pod.uid()))
        .orElseThrow();
  }

  private List<String> outstanding() {
    return state.view().effective().outstanding().stream().map(each -> each.name().name()).toList();
  }

  private Map<DeviceUuid, Long> used() {
    var ledger = state.view().effective().ledger();
    var used = new java.util.TreeMap<DeviceUuid, Long>();
    for (DeviceUuid device : List.of(A, B)) {
      if (ledger.used(device) > 0) {
        used.put(device, ledger.used(device));
      }
    }
    return used;
  }
}
