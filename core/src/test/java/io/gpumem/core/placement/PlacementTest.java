package io.gpumem.core.placement;

import static io.gpumem.core.world.PodSketch.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.Demand;
import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.ledger.NodeBooks;
import io.gpumem.core.ledger.NodeLedger;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.world.Given;
import io.gpumem.core.world.NodeSketch;
import io.gpumem.core.world.PodSketch;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlacementTest {

  private static final DeviceChoice TWO = new DeviceChoice(2, Set.of());
  private static final DeviceChoice L4 = new DeviceChoice(1, Set.of("NVIDIA L4"));

  /** GPUs A, B, C of 16 units with so many free. */
  private static NodeLedger free(long... free) {
    NodeSketch node = NodeSketch.of(Given.gpus(16, 16, 16));
    for (int i = 0; i < free.length; i++) {
      String letter = String.valueOf((char) ('A' + i));
      node = free[i] == 16 ? node : node.unknown("on-" + letter, Given.on(letter, 16 - free[i]));
    }
    return node.books().ledger();
  }

  private static Verdict place(PodSketch pod, Policy policy, NodeLedger ledger) {
    return Placement.place(pod.demand(), pod.choice(), policy, ledger);
  }

  private static void assertPlaced(
      Map<String, Map<DeviceUuid, Long>> containers, long leftover, Verdict verdict) {
    assertEquals(new Verdict.Fits(containers, leftover), verdict);
  }

  private static void assertRefused(Refusal why, PodSketch pod, NodeLedger ledger) {
    for (Policy policy : Policy.values()) {
      assertEquals(Verdict.refused(why), place(pod, policy, ledger));
    }
  }

  @Test
  void binpackTakesTheFullestDeviceThatFits() {
    PodSketch p = pod("p").app("main", 6);
    assertPlaced(Map.of("main", Given.on("B", 6)), 2, place(p, Policy.BINPACK, free(16, 8, 4)));
    assertPlaced(Map.of("main", Given.on("C", 6)), 0, place(p, Policy.BINPACK, free(16, 8, 6)));
  }

  @Test
  void spreadTakesTheEmptiestDevice() {
    PodSketch p = pod("p").app("main", 6);
    assertPlaced(Map.of("main", Given.on("B", 6)), 10, place(p, Policy.SPREAD, free(8, 16, 4)));
  }

  @ParameterizedTest
  @EnumSource(Policy.class)
  void equalDevicesAreTakenByIndex(Policy policy) {
    assertPlaced(
        Map.of("main", Given.on("A", 6)),
        10,
        place(pod("p").app("main", 6), policy, free(16, 16, 16)));
  }

  @Test
  void fortyInFourPiecesIsNotFortyInOnePlace() {
    NodeLedger ledger =
        NodeSketch.of(40, 40, 40, 40)
            .unknown("a", Given.on("A", 30))
            .unknown("b", Given.on("B", 30))
            .unknown("c", Given.on("C", 30))
            .unknown("d", Given.on("D", 30))
            .books()
            .ledger();
    assertRefused(Refusal.FRAGMENTED, pod("p").app("main", 40), ledger);
    assertRefused(Refusal.TOO_LITTLE, pod("p").app("main", 40).app("side", 1), ledger);
    assertRefused(Refusal.TOO_LARGE, pod("p").app("main", 41), ledger);
  }

  @ParameterizedTest
  @ValueSource(longs = {17, 17_179_869_184L, 10_000_000_000L, 4_294_967_297L, Long.MAX_VALUE})
  void oddQuantitiesAreTooLarge(long units) {
    NodeLedger ledger = NodeSketch.of(16).books().ledger();
    assertRefused(Refusal.TOO_LARGE, pod("p").app("main", units), ledger);
    assertRefused(
        Refusal.TOO_LARGE, pod("p").app("main", units).app("side", Long.MAX_VALUE), ledger);
    assertRefused(Refusal.TOO_LARGE, pod("p").init("i", units).app("main", 1), ledger);
  }

  @Test
  void aDeviceFillsToTheLastUnit() {
    NodeLedger ledger = NodeSketch.of(16).books().ledger();
    PodSketch p = pod("p").app("main", 16);
    assertPlaced(Map.of("main", Given.on("A", 16)), 0, place(p, Policy.BINPACK, ledger));
  }

  @Test
  void aDemandOfNothingFitsAnywhere() {
    assertEquals(
        new Verdict.Fits(Map.of(), 0),
        Placement.place(
            Demand.NONE, DeviceChoice.ANY, Policy.BINPACK, NodeSketch.of().books().ledger()));
  }

  @Test
  void aNodeWithoutDevicesHasTooLittle() {
    assertRefused(Refusal.TOO_LITTLE, pod("p").app("main", 1), NodeSketch.of().books().ledger());
  }

  @Test
  void twoContainersShareADeviceOrTakeTwo() {
    PodSketch p = pod("p").app("c1", 3).app("c2", 5);
    assertPlaced(
        Map.of("c1", Given.on("A", 3), "c2", Given.on("A", 5)),
        0,
        place(p, Policy.BINPACK, free(8, 16, 16)));
    assertPlaced(
        Map.of("c1", Given.on("A", 3), "c2", Given.on("B", 5)),
        0,
        place(p, Policy.BINPACK, free(3, 5, 0)));
  }

  @Test
  void theSearchGoesBackWhenTheFirstDeviceWasAMistake() {
    // 4 on the tighter B leaves 2 there and 7 on A, where only two of the three 3 fit.
    PodSketch p = pod("p").app("c1", 4).app("c2", 3).app("c3", 3).app("c4", 3);
    assertPlaced(
        Map.of(
            "c1", Given.on("A", 4),
            "c2", Given.on("B", 3),
            "c3", Given.on("B", 3),
            "c4", Given.on("A", 3)),
        0,
        place(p, Policy.BINPACK, free(7, 6, 0)));
  }

  @Test
  void aPodWithAnInitRequestGoesWholeOntoOneDevice() {
    PodSketch p = pod("p").init("i", 10).app("c1", 4).app("c2", 4);
    assertPlaced(
        Map.of("i", Given.on("B", 10), "c1", Given.on("B", 4), "c2", Given.on("B", 4)),
        2,
        place(p, Policy.BINPACK, free(9, 12, 16)));
    assertRefused(Refusal.FRAGMENTED, p, free(9, 9, 9));
    assertRefused(Refusal.TOO_LITTLE, p, free(9, 0, 0));
  }

  @Test
  void sidecarsNeedNotBeOnOneDeviceWithTheRest() {
    PodSketch p = pod("p").sidecar("s", 4).app("main", 4);
    assertPlaced(
        Map.of("s", Given.on("B", 4), "main", Given.on("A", 4)),
        0,
        place(p, Policy.BINPACK, free(4, 4, 0)));
  }

  @Test
  void severalDevicesGetEqualShares() {
    PodSketch p = pod("p").app("main", 12).choosing(TWO);
    assertPlaced(
        Map.of("main", Given.on("B", 6, "C", 6)), 1, place(p, Policy.BINPACK, free(16, 8, 7)));
    assertRefused(Refusal.FRAGMENTED, p, free(16, 5, 5));
    assertRefused(Refusal.INDIVISIBLE, pod("p").app("main", 13).choosing(TWO), free(16));
    assertRefused(
        Refusal.INIT_ON_SEVERAL, pod("p").init("i", 2).app("main", 2).choosing(TWO), free(16));
    assertRefused(
        Refusal.TOO_FEW_DEVICES,
        pod("p").app("main", 4).choosing(new DeviceChoice(4, Set.of())),
        free(16));
  }

  private static NodeLedger mixed() {
    Inventory inventory =
        Given.inventory(
            Given.gpu("A", 0, 16, "NVIDIA L4", new Health.Unhealthy("XID 79")),
            Given.gpu("B", 1, 16, "NVIDIA H200", Health.HEALTHY),
            Given.gpu("C", 2, 8, "NVIDIA L4", Health.HEALTHY));
    return NodeSketch.of(inventory).books().ledger();
  }

  @Test
  void onlyWantedModelsAreTaken() {
    PodSketch p = pod("p").app("main", 4).choosing(L4);
    assertPlaced(Map.of("main", Given.on("C", 4)), 4, place(p, Policy.SPREAD, mixed()));
    PodSketch t4 = pod("p").app("main", 4).choosing(new DeviceChoice(1, Set.of("Tesla T4")));
    assertRefused(Refusal.NO_SUCH_MODEL, t4, mixed());
  }

  @Test
  void badDevicesTakeNoPod() {
    assertRefused(Refusal.CLOSED, pod("p").app("main", 16).choosing(L4), mixed());
    DeviceChoice twoL4 = new DeviceChoice(2, Set.of("NVIDIA L4"));
    assertRefused(Refusal.CLOSED, pod("p").app("main", 2).choosing(twoL4), mixed());
    assertRefused(Refusal.TOO_LARGE, pod("p").app("main", 17).choosing(L4), mixed());
    assertPlaced(
        Map.of("main", Given.on("B", 16)),
        0,
        place(pod("p").app("main", 16), Policy.BINPACK, mixed()));
  }

  @Test
  void cordonedDevicesTakeNoPod() {
    NodeFacts facts = NodeSketch.of(16, 8).facts();
    NodeFacts cordoned =
        new NodeFacts(
            facts.name(), facts.inventory(), Set.of(Given.uuid("A")), facts.allocations(), true);
    NodeLedger ledger = NodeBooks.of(cordoned, List.of()).ledger();
    assertPlaced(
        Map.of("main", Given.on("B", 4)), 4, place(pod("p").app("main", 4), Policy.SPREAD, ledger));
    assertRefused(Refusal.CLOSED, pod("p").app("main", 9), ledger);
    assertRefused(Refusal.TOO_LITTLE, pod("p").app("main", 8).app("side", 1), ledger);
  }

  @Test
  void unplacedPodsAreLeftRoomOnEveryDevice() {
    NodeLedger ledger = NodeSketch.of(16, 16).books(pod("q").app("main", 10)).ledger();
    assertPlaced(
        Map.of("main", Given.on("A", 6)),
        0,
        place(pod("p").app("main", 6), Policy.BINPACK, ledger));
    assertRefused(Refusal.FRAGMENTED, pod("p").app("main", 7), ledger);
  }

  @Test
  void fourteenContainersThatFillFourDevicesExactlyArePlaced() {
    long[] pieces = {61, 53, 47, 43, 41, 37, 31, 29, 23, 19, 17, 13, 11, 7};
    PodSketch p = pod("p");
    for (int i = 0; i < pieces.length; i++) {
      p = p.app("c" + i, pieces[i]);
    }
    // 61+47, 53+43+13, 41+37+29, 31+23+19+17+11+7: no room is left anywhere.
    NodeLedger ledger = NodeSketch.of(108, 109, 107, 108).books().ledger();
    for (Policy policy : Policy.values()) {
      assertInstanceOf(Verdict.Fits.class, place(p, policy, ledger));
    }
  }

  @Test
  void aPodOfThousandsOfContainersIsAnswered() {
    PodSketch p = pod("p");
    for (int i = 0; i < 4_000; i++) {
      p = p.app("c" + i, 1);
    }
    assertInstanceOf(
        Verdict.Fits.class,
        place(p, Policy.SPREAD, NodeSketch.of(1_000, 2_000, 1_000).books().ledger()));
    p = p.app("large", 3_000).app("next", 3_000);
    assertRefused(Refusal.FRAGMENTED, p, NodeSketch.of(5_000, 2_500, 2_500).books().ledger());
  }

  @Test
  void aHopelessSearchEnds() {
    long[] units = new long[16];
    for (int i = 0; i < units.length; i++) {
      units[i] = 100 + i;
    }
    PodSketch p = pod("p");
    for (int i = 0; i < 17; i++) {
      p = p.app("c" + i, 60 + i);
    }
    NodeLedger ledger = NodeSketch.of(units).books().ledger();
    assertRefused(Refusal.FRAGMENTED, p, ledger);
  }

  @ParameterizedTest
  @EnumSource(Refusal.class)
  void reasonsCarryNoNumber(Refusal refusal) {
    assertTrue(refusal.text().chars().noneMatch(Character::isDigit), refusal.text());
  }

  @ParameterizedTest
  @CsvSource({
    "TOO_LITTLE, true",
    "FRAGMENTED, false",
    "TOO_LARGE, false",
    "CLOSED, false",
    "NO_SUCH_MODEL, false",
    "UNLIKE, false"
  })
  void onlyALackInSumIsCurableByPreemption(Refusal refusal, boolean curable) {
    assertEquals(curable, refusal.isCurableByPreemption());
  }

  @Test
  void reasonsAreDistinct() {
    List<Refusal> all = List.of(Refusal.values());
    assertEquals(all.size(), all.stream().map(Refusal::text).distinct().count());
    assertFalse(all.isEmpty());
  }
}
