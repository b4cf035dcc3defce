package io.gpumem.plugin.allocate;

import static io.gpumem.plugin.allocate.Known.A;
import static io.gpumem.plugin.allocate.Known.B;
import static io.gpumem.plugin.allocate.Known.ids;
import static io.gpumem.plugin.allocate.Known.parsed;
import static io.gpumem.plugin.allocate.Known.pod;
import static io.gpumem.plugin.allocate.Known.shows;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodUid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Containers that take over what an init container had, in the moments before the table shows them.
 */
final class InitReuseTest {

  private final NodeState state = new NodeState(Known.NODE);

  InitReuseTest() {
    state.inventory(Known.inventory(16, 16));
    state.podSeen(reusing(), 0);
    state.podSeen(pod("rest", 5, A), 0);
    state.answered(parsed(ids(A, 0, 4)), 1);
  }

  /** Sets up with 4, and runs with 2 and 9, of which 4 are those of the setup. */
  private static PodFacts reusing() {
    return pod(
        "a",
        List.of(
            new ContainerDemand("setup", Phase.INIT, 4),
            new ContainerDemand("side", Phase.SIDECAR, 2),
            new ContainerDemand("main", Phase.APP, 9)),
        Optional.of(Map.of("setup", Map.of(A, 4L), "side", Map.of(A, 2L), "main", Map.of(A, 9L))));
  }

  @Test
  void countsAContainerThatWasJustAnsweredOnce() {
    state.answered(parsed(ids(A, 0, 2)), 2);
    assertBooked();

    state.answered(parsed(main()), 3);
    assertBooked();
  }

  @Test
  void countsItOnceWhileOnlyItsNeighbourShows() {
    state.answered(parsed(ids(A, 0, 2)), 2);
    state.answered(parsed(main()), 3);

    state.shown(shows("a", 4, Map.of("side", ids(A, 0, 2))), 4);
    assertBooked();

    state.shown(shows("a", 5, Map.of("side", ids(A, 0, 2), "main", main())), 5);
    assertBooked();
  }

  @Test
  void takesTheAnswerOfASecondInitContainerForNobodyElses() {
    NodeState other = afterTwoInits(6, ids(A, 0, 6));
    assertWaiting(other, 6);
  }

  /** Which of the two was answered can't be told, and the one that shows was given other units. */
  @Test
  void takesItForNobodyElsesThoughTheAppAsksAsMuch() {
    NodeState other = afterTwoInits(1, ids(A, 2, 3));
    other.shown(shows("a", 6, Map.of("main", ids(A, 0, 1))), 6);
    assertWaiting(other, 1);
  }

  /** The kubelet frees the units of a pod that ended before the watch shows its end. */
  @Test
  void takesUnitsOfARunningPodsInitContainerForANewPods() {
    NodeState other = afterTwoInits(6, ids(A, 0, 6));
    other.shown(shows("a", 4, Map.of("main", ids(A, 0, 1))), 4);
    PodFacts next = pod("next", 6, A);
    other.podSeen(next, 5);

    other.answered(parsed(ids(A, 0, 6)), 6);
    other.podGone(new PodUid("uid-a"), 3);

    assertEquals(List.of(), other.view().effective().outstanding());
    assertEquals(parsed(ids(A, 0, 6)), other.heldIds());
  }

  /** A pod that was set up with 3 and then with more, and runs with 1 of them. */
  private static NodeState afterTwoInits(int second, List<String> ids) {
    NodeState other = new NodeState(Known.NODE);
    other.inventory(Known.inventory(16, 16));
    other.podSeen(
        pod(
            "a",
            List.of(
                new ContainerDemand("first", Phase.INIT, 3),
                new ContainerDemand("second", Phase.INIT, second),
                new ContainerDemand("main", Phase.APP, 1)),
            Optional.of(
                Map.of(
                    "first",
                    Map.of(A, 3L),
                    "second",
                    Map.of(A, (long) second),
                    "main",
                    Map.of(A, 1L)))),
        0);
    other.answered(parsed(ids(A, 0, 3)), 1);
    other.answered(parsed(ids), 2);
    other.answered(parsed(ids(A, 0, 1)), 3);
    return other;
  }

  private static void assertWaiting(NodeState other, int units) {
    other.podSeen(pod("late", units, B), 4);
    var late = other.view().effective().outstanding().getLast();
    assertEquals("late", late.name().name());
    assertEquals(Map.of(B, (long) units), late.devices());
    assertEquals((long) units, other.view().effective().ledger().used(B));
  }

  private static List<String> main() {
    List<String> main = new ArrayList<>(ids(A, 2, 4));
    main.addAll(ids(A, 4, 11));
    return main;
  }

  /** The peak of the pod, and the plan of the other left where it fits exactly. */
  private void assertBooked() {
    NodeState.View view = state.view();
    var rest =
        view.effective().outstanding().stream()
            .filter(each -> each.name().name().equals("rest"))
            .findFirst()
            .orElseThrow();
    assertEquals(Map.of(A, 5L), rest.devices());
    assertEquals(16L, view.effective().ledger().used(A));
    assertEquals(0L, view.effective().ledger().used(B));
    Map<DeviceUuid, Long> published =
        Map.of(A, view.books().ledger().used(A), B, view.books().ledger().used(B));
    assertEquals(Map.of(A, 16L, B, 0L), published);
  }
}
