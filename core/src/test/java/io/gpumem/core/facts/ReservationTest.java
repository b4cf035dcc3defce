package io.gpumem.core.facts;

import static io.gpumem.core.world.PodSketch.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.facts.Reservation.Distrust;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.world.Given;
import io.gpumem.core.world.PodSketch;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReservationTest {

  private static final Inventory TWO =
      Given.inventory(
          Given.gpu("A", 0, 16),
          Given.gpu("B", 1, 16, "NVIDIA L4", new Health.Unhealthy("XID 79")));

  private static Optional<Distrust> distrust(PodSketch spec, Reservation plan) {
    return plan.distrust(Given.uid(spec.name()), Given.NODE, spec.demand(), TWO);
  }

  private static Optional<Distrust> distrust(PodSketch pod) {
    return distrust(pod, pod.reservation());
  }

  @Test
  void believesAPlanOfThisPodOnThisNode() {
    assertEquals(Optional.empty(), distrust(pod("p").app("c1", 1).app("c2", 2).reserved("A")));
    assertEquals(
        Optional.empty(),
        distrust(
            pod("p")
                .app("c1", 1)
                .app("c2", 2)
                .reserved("c1", Given.on("A", 1))
                .reserved("c2", Given.on("B", 2))));
  }

  @Test
  void believesAPlanOnABadDevice() {
    assertEquals(Optional.empty(), distrust(pod("p").app("main", 4).reserved("B")));
  }

  @Test
  void distrustsAPlanOfAnotherPodOrNode() {
    PodSketch p = pod("p").app("main", 4).reserved("A");
    PodSketch q = pod("q").app("main", 4).reserved("A");
    assertEquals(Optional.of(Distrust.OTHER_UID), distrust(p, q.reservation()));
    assertEquals(
        Optional.of(Distrust.OTHER_NODE),
        p.reservation().distrust(Given.uid("p"), new NodeName("n2"), p.demand(), TWO));
  }

  @Test
  void distrustsDevicesThatAreNotHereOrNotChosen() {
    assertEquals(
        Optional.of(Distrust.UNKNOWN_DEVICE), distrust(pod("p").app("main", 4).reserved("X")));
    assertEquals(
        Optional.of(Distrust.UNKNOWN_DEVICE),
        distrust(
            pod("p")
                .app("main", 4)
                .choosing(new DeviceChoice(1, Set.of("NVIDIA L4")))
                .reserved("A")));
  }

  @Test
  void distrustsAmountsThatAreNotTheSpecs() {
    PodSketch spec = pod("p").app("c1", 4).app("c2", 2);
    PodSketch right = spec.reserved("A");
    Map<String, PodSketch> wrong =
        Map.of(
            "less", right.reserved("c1", Given.on("A", 3)),
            "more", right.reserved("c1", Given.on("A", 5)),
            "split", right.reserved("c1", Given.on("A", 2, "B", 2)),
            "none", right.reserved("c1", Map.of()),
            "one too few", spec.reserved("c1", Given.on("A", 4)),
            "one too many", right.reserved("c3", Given.on("A", 1)),
            "all missing", spec,
            "largest", right.reserved("c1", Given.on("A", Long.MAX_VALUE)));
    wrong.forEach(
        (what, plan) ->
            assertEquals(
                Optional.of(Distrust.OTHER_AMOUNTS), distrust(spec, plan.reservation()), what));
  }

  @Test
  void distrustsUnequalShares() {
    PodSketch two = pod("p").app("main", 6).choosing(new DeviceChoice(2, Set.of()));
    assertEquals(Optional.empty(), distrust(two.reserved("main", Given.on("A", 3, "B", 3))));
    for (Map<DeviceUuid, Long> shares :
        java.util.List.of(Given.on("A", 4, "B", 2), Given.on("A", 6), Given.on("A", 3))) {
      assertEquals(Optional.of(Distrust.OTHER_AMOUNTS), distrust(two.reserved("main", shares)));
    }
    PodSketch odd = pod("p").app("main", 7).choosing(new DeviceChoice(2, Set.of()));
    assertEquals(
        Optional.of(Distrust.OTHER_AMOUNTS),
        distrust(odd.reserved("main", Given.on("A", 4, "B", 3))));
  }

  @Test
  void distrustsAPodWithAnInitRequestOnSeveralDevices() {
    PodSketch spec = pod("p").init("i", 4).app("main", 4);
    assertEquals(Optional.empty(), distrust(spec.reserved("A")));
    assertEquals(
        Optional.of(Distrust.OTHER_AMOUNTS),
        distrust(spec.reserved("A").reserved("i", Given.on("B", 4))));
    assertEquals(
        Optional.of(Distrust.OTHER_AMOUNTS),
        distrust(
            pod("p")
                .init("i", 4)
                .choosing(new DeviceChoice(2, Set.of()))
                .reserved("i", Given.on("A", 2, "B", 2))));
  }

  @Test
  void sidecarsMayBeOnOtherDevices() {
    PodSketch spec = pod("p").sidecar("s", 4).app("main", 4);
    assertEquals(Optional.empty(), distrust(spec.reserved("A").reserved("s", Given.on("B", 4))));
  }

  @Test
  void sharesAreWholeNumbers() {
    assertEquals(OptionalLong.of(3), Reservation.share(6, 2));
    assertEquals(OptionalLong.empty(), Reservation.share(7, 2));
    assertEquals(OptionalLong.of(Long.MAX_VALUE), Reservation.share(Long.MAX_VALUE, 1));
  }

  @Test
  void refusesAmountsOfNothing() {
    for (long units : new long[] {0, -1}) {
      PodSketch plan = pod("p").app("main", 4).reserved("main", Given.on("A", units));
      assertThrows(IllegalArgumentException.class, plan::reservation);
    }
  }
}
