package io.gpumem.plugin.publish;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Demand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.ledger.NodeBooks;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.platform.cluster.EventNote;
import io.gpumem.platform.cluster.PodRef;
import io.gpumem.plugin.allocate.NodeState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class AnnouncementsTest {

  private static final NodeName NODE = new NodeName("n1");
  private static final DeviceUuid CARD = new DeviceUuid("GPU-a");
  private static final Health BAD = new Health.Unhealthy("XID 79");
  private static final PodUid UID = new PodUid("uid-p");
  private static final PodName NAME = new PodName("team-a", "p");

  @Test
  void tellsTheNodeAndThePodsOnACardThatTurnedBad() {
    List<EventNote> notes =
        Announcements.between(view(Health.HEALTHY, holding(4)), view(BAD, holding(4)));

    String text = "GPU 0 (Card, GPU-a) takes no new pods: XID 79";
    assertEquals(
        List.of(
            new EventNote(
                new EventNote.OnNode("n1"), EventNote.Severity.WARNING, "GpuUnhealthy", text),
            new EventNote(
                new EventNote.OnPod(new PodRef("team-a", "p", "uid-p")),
                EventNote.Severity.WARNING,
                "GpuUnhealthy",
                text)),
        notes);
  }

  @Test
  void tellsTheNodeOnceWhenACardIsGoodAgain() {
    assertEquals(
        List.of("GpuHealthy"), reasons(view(BAD, holding(4)), view(Health.HEALTHY, holding(4))));
    assertEquals(List.of(), reasons(view(BAD, holding(4)), view(BAD, holding(4))));
    assertEquals(
        List.of(), reasons(view(Health.HEALTHY, holding(4)), view(Health.HEALTHY, holding(4))));
  }

  @Test
  void tellsAPodThatWasStartedWithoutADevice() {
    Allocations nothing =
        new Allocations(Map.of(UID, new PodAllocation(NAME, Map.of(), Map.of())), Map.of());
    NodeState.View before = view(Health.HEALTHY, Allocations.NONE);
    NodeState.View after = view(Health.HEALTHY, nothing);

    assertEquals(List.of("StartedWithoutGpu"), reasons(before, after));
    assertEquals(List.of(), reasons(after, after));
  }

  @Test
  void tellsTheNodeOfACardThatIsUsedBeyondItsUnits() {
    assertEquals(
        List.of("GpuMemOverUse"),
        reasons(view(Health.HEALTHY, holding(4)), view(Health.HEALTHY, stranger(20))));
  }

  private static Allocations holding(long units) {
    return new Allocations(
        Map.of(UID, new PodAllocation(NAME, Map.of("main", Map.of(CARD, units)), Map.of())),
        Map.of());
  }

  private static Allocations stranger(long units) {
    return new Allocations(
        holding(4).pods(), Map.of(new PodName("team-b", "x"), Map.of(CARD, units)));
  }

  private static NodeState.View view(Health health, Allocations allocations) {
    Memory memory = Memory.ofGib(16);
    Device card =
        new Device(
            CARD, 0, "Card", Optional.empty(), memory, memory, 16, OptionalInt.empty(), health);
    Inventory inventory = new Inventory(Memory.ofGib(1), List.of(card));
    NodeFacts facts = new NodeFacts(NODE, inventory, Set.of(), allocations, true);
    PodFacts pod =
        new PodFacts(
            UID,
            NAME,
            Optional.of(NODE),
            Optional.empty(),
            0,
            0,
            new Demand(List.of(new ContainerDemand("main", Phase.APP, 4))),
            Decoded.absent(),
            Decoded.absent());
    NodeBooks books = NodeBooks.of(facts, List.of(pod));
    return new NodeState.View(facts, books, books);
  }

  private static List<String> reasons(NodeState.View before, NodeState.View after) {
    return Announcements.between(before, after).stream().map(EventNote::reason).toList();
  }
}
