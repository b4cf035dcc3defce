package io.gpumem.plugin.allocate;

import static io.gpumem.plugin.allocate.Known.A;
import static io.gpumem.plugin.allocate.Known.B;
import static io.gpumem.plugin.allocate.Known.ids;
import static io.gpumem.plugin.allocate.Known.parsed;
import static io.gpumem.plugin.allocate.Known.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.ledger.Outstanding;
import io.gpumem.core.units.PodUid;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Pods that end before the kubelet's table was read, so that our answer to them never shows. */
final class ShortLivedPodTest {

  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final NodeState state = new NodeState(Known.NODE);

  ShortLivedPodTest() {
    state.inventory(Known.inventory(8, 8));
    state.podSeen(pod("other", 3, A), 0);
    state.podSeen(pod("short", 2, A), 0);
    state.answered(parsed(ids(A, 0, 2)), 1);
  }

  @Test
  void leaveNoAnswerForTheNextOfTheirSize() {
    state.podGone(new PodUid("uid-short"), 3 * SECOND);
    state.podSeen(pod("next", 2, A), 4 * SECOND);

    assertEquals(List.of("other", "next"), outstanding());
    assertEquals(0, state.situation(5 * SECOND).held().size());
  }

  @Test
  void keepTheirPlaceWhileAnotherPodMayHaveGotIt() {
    state.podSeen(pod("equal", 2, A), SECOND / 2);
    state.podGone(new PodUid("uid-short"), 3 * SECOND);

    assertEquals(List.of("other"), outstanding());
  }

  @Test
  void keepTheirPlaceForASecond() {
    state.podGone(new PodUid("uid-short"), SECOND / 2);
    state.podSeen(pod("next", 2, A), SECOND / 2 + 1);

    assertEquals(List.of("other"), outstanding());
  }

  @Test
  void leaveNoInitHoldingToALaterPod() {
    state.podGone(new PodUid("uid-short"), SECOND / 2);
    PodFacts init =
        pod(
            "init",
            List.of(
                new ContainerDemand("setup", Phase.INIT, 2),
                new ContainerDemand("main", Phase.APP, 4)),
            Optional.of(Map.of("setup", Map.of(B, 2L), "main", Map.of(B, 4L))));

    state.podSeen(init, 4 * SECOND);

    assertEquals(List.of("other", "init", "init"), outstanding());
  }

  private List<String> outstanding() {
    return state.situation(5 * SECOND).outstanding().stream()
        .map(Outstanding::name)
        .map(name -> name.name())
        .toList();
  }
}
