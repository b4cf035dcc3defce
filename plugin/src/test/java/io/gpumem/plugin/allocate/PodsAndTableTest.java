package io.gpumem.plugin.allocate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Demand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Pods come from the watch, what they hold from the kubelet's table, in either order. */
final class PodsAndTableTest {

  private static final NodeName NODE = new NodeName("node-a");
  private static final PodName NAME = new PodName("default", "train");
  private static final PodUid UID = new PodUid("uid-1");
  private static final DeviceUuid GPU = new DeviceUuid("GPU-00000000-0000-4000-8000-000000000001");
  private static final Reading READING =
      new Reading(NAME, Map.of("main", Set.of(new DeviceId(GPU, 0), new DeviceId(GPU, 1))), 1);

  private final NodeState state = new NodeState(NODE);

  @Test
  void knowsHoldersWhenTheTableIsReadBeforeThePodsAreListed() {
    state.shown(READING, 2);
    state.podsListed(List.of(pod(UID)), 3);

    assertHeldBy(UID);
  }

  @Test
  void knowsHoldersWhenThePodsAreListedBeforeTheTableIsRead() {
    state.podsListed(List.of(pod(UID)), 0);
    state.shown(READING, 2);

    assertHeldBy(UID);
  }

  @Test
  void countsNothingOfAPodThatIsGone() {
    state.podsListed(List.of(pod(UID)), 0);
    state.shown(READING, 2);

    state.podGone(UID, 3);

    assertEquals(Allocations.NONE, state.view().facts().allocations());
  }

  @Test
  void doesNotGiveASuccessorOfTheNameWhatIsStillShownOfItsPredecessor() {
    state.podsListed(List.of(pod(UID)), 0);
    state.shown(READING, 2);

    state.podsListed(List.of(pod(new PodUid("uid-2"))), 3);
    state.shown(new Reading(NAME, READING.containers(), 4), 5);

    Allocations shown = state.view().facts().allocations();
    assertEquals(Map.of(), shown.pods(), "the successor was given nothing yet");
    assertEquals(Map.of(NAME, Map.of(GPU, 2L)), shown.names());
  }

  private void assertHeldBy(PodUid uid) {
    Allocations shown = state.view().facts().allocations();
    assertEquals(Set.of(uid), shown.pods().keySet());
    assertEquals(Map.of(), shown.names(), "nothing is held twice");
  }

  private static PodFacts pod(PodUid uid) {
    Demand demand = new Demand(List.of(new ContainerDemand("main", Phase.APP, 2)));
    return new PodFacts(
        uid,
        NAME,
        Optional.of(NODE),
        Optional.empty(),
        0,
        0,
        demand,
        Decoded.absent(),
        Decoded.absent());
  }
}
