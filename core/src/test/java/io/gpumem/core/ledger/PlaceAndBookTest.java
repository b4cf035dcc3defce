package io.gpumem.core.ledger;

import static io.gpumem.core.world.PodSketch.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.Policy;
import io.gpumem.core.placement.Placement;
import io.gpumem.core.placement.Refusal;
import io.gpumem.core.placement.Verdict;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Units;
import io.gpumem.core.world.Given;
import io.gpumem.core.world.NodeSketch;
import io.gpumem.core.world.PodSketch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Pods that were reported against other sharers of GPUs, placed and booked one after another. */
class PlaceAndBookTest {

  private static Verdict place(PodSketch pod, NodeLedger ledger, Policy policy) {
    return Placement.place(pod.demand(), pod.choice(), policy, ledger);
  }

  private static PodSketch placed(PodSketch pod, NodeLedger ledger, Policy policy) {
    PodSketch planned = pod;
    Verdict.Fits fits = assertInstanceOf(Verdict.Fits.class, place(pod, ledger, policy));
    for (Map.Entry<String, Map<DeviceUuid, Long>> each : fits.containers().entrySet()) {
      planned = planned.reserved(each.getKey(), each.getValue());
    }
    return planned;
  }

  static Stream<Arguments> footprints() {
    return Stream.of(
        Arguments.of(pod("p1").init("a", 10).init("b", 10).init("c", 10).app("main", 4), 10),
        Arguments.of(pod("p2").sidecar("a", 4).app("main", 4), 8),
        Arguments.of(pod("p3").sidecar("a", 2).init("b", 5).app("main", 3), 7),
        Arguments.of(pod("p4").app("c1", 3).app("c2", 3), 6),
        Arguments.of(pod("p5").init("a", 12), 12));
  }

  @ParameterizedTest
  @MethodSource("footprints")
  void podsWithInitContainersAndSidecarsAreBookedWithTheirFootprint(PodSketch pod, long booked) {
    NodeSketch node = NodeSketch.of(16);
    PodSketch planned = placed(pod, node.books().ledger(), Policy.BINPACK);
    assertEquals(booked, node.books(planned).ledger().used(Given.uuid("A")));
  }

  @Test
  void aFinishedInitContainerLeavesNoRoomForAPodOfTheSameSpec() {
    PodSketch p = pod("p1").init("i", 10).app("main", 4).reserved("A");
    NodeLedger running = NodeSketch.of(16).shows("p1", "main", Given.on("A", 4)).books(p).ledger();
    assertEquals(
        Verdict.refused(Refusal.TOO_LITTLE),
        place(pod("p1b").init("i", 10).app("main", 4), running, Policy.BINPACK));
  }

  @ParameterizedTest
  @EnumSource(Policy.class)
  void twoPodsOfTwoContainersFillNoDeviceBeyondItsUnits(Policy policy) {
    NodeSketch node = NodeSketch.of(4, 4);
    PodSketch p1 = placed(pod("p1").app("c1", 1).app("c2", 2), node.books().ledger(), policy);
    PodSketch p2 = placed(pod("p2").app("c1", 2).app("c2", 1), node.books(p1).ledger(), policy);
    NodeBooks books = node.books(p1, p2);
    assertEquals(
        6, Units.sum(books.ledger().used(Given.uuid("A")), books.ledger().used(Given.uuid("B"))));
    assertTrue(books.ledger().used(Given.uuid("A")) <= 4);
    assertTrue(books.ledger().used(Given.uuid("B")) <= 4);
    assertEquals(4, books.outstanding().size());
    NodeSketch given = node;
    for (Outstanding each : books.outstanding()) {
      given = given.shows(each.name().name(), each.container(), each.devices());
    }
    assertEquals(List.of(), given.books(p1, p2).outstanding());
    assertEquals(
        books.ledger().used(Given.uuid("A")), given.books(p1, p2).ledger().used(Given.uuid("A")));
  }

  @Test
  void aNodeFillsToTheLastUnitAndNoFurther() {
    NodeSketch node = NodeSketch.of(16, 16);
    List<PodSketch> pods = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      NodeLedger ledger = node.books(pods.toArray(PodSketch[]::new)).ledger();
      pods.add(placed(pod("p" + i).app("main", 4), ledger, Policy.SPREAD));
    }
    NodeLedger full = node.books(pods.toArray(PodSketch[]::new)).ledger();
    assertEquals(0, full.free(Given.uuid("A")) + full.free(Given.uuid("B")));
    assertEquals(
        Verdict.refused(Refusal.TOO_LITTLE), place(pod("q").app("main", 1), full, Policy.SPREAD));
  }
}
