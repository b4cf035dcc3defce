package io.gpumem.plugin.allocate;

import static io.gpumem.plugin.allocate.Known.A;
import static io.gpumem.plugin.allocate.Known.B;
import static io.gpumem.plugin.allocate.Known.ids;
import static io.gpumem.plugin.allocate.Known.inventory;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Demand;
import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.core.units.PodUid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class VerificationTest {

  private final NodeState state = new NodeState(Known.NODE);

  VerificationTest() {
    state.inventory(inventory(8, 8));
  }

  @Test
  void grantsUnitsOfOneCardWithoutAnyCallBefore() {
    assertEquals(new Ruling.Granted(Map.of(A, 3L)), rule(ids(A, 2, 5)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"GPU-x::0", "GPU-a::8", "GPU-a::-1", "GPU-a::00", "GPU-a", "", "GPU-a::1::2"})
  void refusesWhatIsNoIdOfThisNode(String id) {
    assertTrue(refused(List.of(id)).contains("\"" + id + "\" is no device ID of this node"));
  }

  @Test
  void refusesAnEmptySet() {
    assertEquals("no device IDs were given", refused(List.of()));
  }

  @Test
  void refusesOneIdTwiceInASet() {
    assertTrue(refused(List.of("GPU-a::1", "GPU-a::1")).contains("twice"));
  }

  @Test
  void refusesABadCardAndSaysWhy() {
    state.inventory(
        new Inventory(
            Memory.ofGib(1),
            List.of(Known.device(A, 0, 8).withHealth(new Health.Unhealthy("XID 79")))));

    assertEquals("device GPU-a is unhealthy: XID 79", refused(ids(A, 0, 2)));
  }

  @Test
  void refusesASetOfTwoCardsInWordsThatAPodsStatusCanShow() {
    String why = refused(both(2, 2));

    assertEquals(
        "the kubelet chose units of several devices for one container, which needs them on one:"
            + " {GPU-a=2, GPU-b=2}",
        why);
  }

  @Test
  void grantsTwoCardsInEqualSharesToWhoOptedIn() {
    state.podSeen(onTwo("wide", 4), 0);

    assertEquals(new Ruling.Granted(Map.of(A, 2L, B, 2L)), rule(both(2, 2)));
    assertTrue(refused(both(3, 1)).contains("several devices"), "unequal shares");
    assertTrue(refused(both(3, 3)).contains("several devices"), "another size");
  }

  private static PodFacts onTwo(String name, long units) {
    PodUid uid = new PodUid("uid-" + name);
    Map<String, Map<DeviceUuid, Long>> plan = Map.of("main", Map.of(A, units / 2, B, units / 2));
    return new PodFacts(
        uid,
        Known.name(name),
        Optional.of(Known.NODE),
        Optional.empty(),
        0,
        0,
        new Demand(List.of(new ContainerDemand("main", Phase.APP, units))),
        Decoded.absent(),
        Decoded.ok(new Reservation(uid, Known.NODE, new DeviceChoice(2, Set.of()), plan)));
  }

  private static List<String> both(int a, int b) {
    List<String> both = new ArrayList<>(ids(A, 0, a));
    both.addAll(ids(B, 0, b));
    return both;
  }

  private Ruling rule(List<String> ids) {
    return Verification.rule(state.situation(0), ids, UnitSet.NONE);
  }

  private String refused(List<String> ids) {
    return assertInstanceOf(Ruling.Refused.class, rule(ids)).why();
  }
}
