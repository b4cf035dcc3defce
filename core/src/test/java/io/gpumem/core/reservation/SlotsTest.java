package io.gpumem.core.reservation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.reservation.Slots.Settled;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Units;
import io.gpumem.core.world.Given;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SlotsTest {

  private static final Set<DeviceUuid> ALL =
      Set.of(Given.uuid("A"), Given.uuid("B"), Given.uuid("C"));

  private static Request request(String pod, long units, String letter) {
    Likeness likeness = new Likeness(units, 1, ALL, Optional.empty());
    return new Request(Given.uid(pod), "main", likeness, Given.on(letter, units));
  }

  private static Settled settled(String pod, long units, String reserved, String actual) {
    return new Settled(request(pod, units, reserved), Given.on(actual, units));
  }

  /** Assigns on three GPUs of 16 units, where nothing but these requests is booked. */
  private static Map<Request, Map<DeviceUuid, Long>> assign(
      List<Settled> settled, List<Request> outstanding) {
    return assign(settled, outstanding, Map.of());
  }

  private static Map<Request, Map<DeviceUuid, Long>> assign(
      List<Settled> settled, List<Request> outstanding, Map<DeviceUuid, Long> others) {
    Map<DeviceUuid, Long> taken = new TreeMap<>(others);
    settled.forEach(each -> Units.add(taken, each.actual()));
    return Slots.assign(settled, outstanding, Given.gpus(16, 16, 16), Set.of(), taken);
  }

  @Test
  void nothingSettledLeavesEveryPlan() {
    Request p = request("p", 4, "A");
    Request q = request("q", 4, "B");
    assertEquals(
        Map.of(p, Given.on("A", 4), q, Given.on("B", 4)), assign(List.of(), List.of(q, p)));
  }

  @Test
  void aRequestServedWhereItWasPlannedMovesNothing() {
    Request q = request("q", 4, "A");
    assertEquals(
        Map.of(q, Given.on("A", 4)), assign(List.of(settled("p", 4, "A", "A")), List.of(q)));
  }

  @Test
  void halfASwapSendsTheOtherToTheVacantPlace() {
    Request q = request("q", 10, "B");
    assertEquals(
        Map.of(q, Given.on("A", 10)), assign(List.of(settled("p", 10, "A", "B")), List.of(q)));
  }

  @Test
  void aRingOfThreeClosesAtTheVacantPlace() {
    Request r = request("r", 10, "C");
    assertEquals(
        Map.of(r, Given.on("A", 10)),
        assign(List.of(settled("p", 10, "A", "B"), settled("q", 10, "B", "C")), List.of(r)));
  }

  @Test
  void whoHasLostItsPlaceIsNotMovedToACordonedDevice() {
    Request q = request("q", 10, "A");
    Map<DeviceUuid, Long> taken = Given.on("A", 10);
    assertEquals(
        Map.of(q, Given.on("C", 10)),
        Slots.assign(
            List.of(), List.of(q), Given.gpus(16, 16, 16), Set.of(Given.uuid("B")), taken));
    assertEquals(
        Map.of(q, Given.on("A", 10)),
        Slots.assign(
            List.of(),
            List.of(q),
            Given.gpus(16, 16, 16),
            Set.of(Given.uuid("B"), Given.uuid("C")),
            taken),
        "nowhere else: where it was planned");
  }

  @Test
  void whoStillHasAPlaceKeepsIt() {
    Request q = request("q", 4, "B");
    Request r = request("r", 4, "B");
    Request s = request("s", 4, "A");
    assertEquals(
        Map.of(q, Given.on("B", 4), r, Given.on("A", 4), s, Given.on("A", 4)),
        assign(List.of(settled("p", 4, "A", "B")), List.of(s, r, q)));
  }

  @Test
  void aPlaceThatNobodyReservedUsesUpNone() {
    Request q = request("q", 10, "B");
    assertEquals(
        Map.of(q, Given.on("B", 10)), assign(List.of(settled("p", 10, "A", "C")), List.of(q)));
  }

  @Test
  void otherSizesAndPodsWithInitRequestsStayOut() {
    Request other = request("q", 6, "B");
    Likeness alone = new Likeness(4, 1, ALL, Optional.of(Given.uid("r")));
    Request init = new Request(Given.uid("r"), "main", alone, Given.on("B", 4));
    assertEquals(
        Map.of(other, Given.on("B", 6), init, Given.on("B", 4)),
        assign(List.of(settled("p", 4, "A", "B")), List.of(other, init)));
  }

  @Test
  void aVacantPlaceThatWasGivenAwayIsNotTaken() {
    Request q = request("q", 4, "B");
    List<Settled> settled = List.of(settled("p", 4, "A", "B"));
    assertEquals(Map.of(q, Given.on("A", 4)), assign(settled, List.of(q), Given.on("A", 12)));
    assertEquals(Map.of(q, Given.on("B", 4)), assign(settled, List.of(q), Given.on("A", 13)));
  }

  @Test
  void anyDeviceIsTakenWhenNeitherTheVacantPlaceNorTheOwnHasRoom() {
    Request q = request("q", 10, "B");
    List<Settled> settled = List.of(settled("p", 10, "A", "B"));
    assertEquals(Map.of(q, Given.on("C", 10)), assign(settled, List.of(q), Given.on("A", 10)));
  }

  @Test
  void theOwnPlaceIsKeptWhenThereIsRoomNowhere() {
    Request q = request("q", 10, "B");
    List<Settled> settled = List.of(settled("p", 10, "A", "B"));
    assertEquals(
        Map.of(q, Given.on("B", 10)), assign(settled, List.of(q), Given.on("A", 10, "C", 7)));
  }

  /** P was planned on A and is on C; its old place must not make A look wider than it is. */
  @Test
  void aPlaceLeftVacantLongAgoLetsNobodyStayOnAFullDevice() {
    List<Settled> settled = List.of(settled("p", 4, "A", "C"), settled("q", 4, "B", "A"));
    Request r = request("r", 4, "A");
    Request s = request("s", 4, "A");
    assertEquals(
        Map.of(r, Given.on("A", 4), s, Given.on("B", 4)),
        assign(settled, List.of(s, r), Given.on("A", 8)));
  }

  @Test
  void largeRequestsChooseBeforeSmallOnes() {
    List<Settled> settled = List.of(settled("p", 10, "A", "B"));
    Request large = request("z", 10, "B");
    Request small = request("a", 4, "A");
    assertEquals(
        Map.of(large, Given.on("A", 10), small, Given.on("A", 4)),
        assign(settled, List.of(small, large)));
    assertEquals(
        Map.of(large, Given.on("A", 10), small, Given.on("B", 4)),
        assign(settled, List.of(small, large), Given.on("A", 4)));
  }

  @Test
  void ofSeveralVacantPlacesTheFirstByPodIsTakenInWhateverOrderTheyAreGiven() {
    Settled o = settled("o", 4, "B", "C");
    Settled p = settled("p", 4, "A", "C");
    Request q = request("q", 4, "C");
    assertEquals(Map.of(q, Given.on("B", 4)), assign(List.of(o, p), List.of(q)));
    assertEquals(Map.of(q, Given.on("B", 4)), assign(List.of(p, o), List.of(q)));
  }

  @Test
  void setsOfDevicesSwapAsWholes() {
    Likeness likeness = new Likeness(16, 2, ALL, Optional.empty());
    Request p = new Request(Given.uid("p"), "main", likeness, Given.on("A", 8, "B", 8));
    Request q = new Request(Given.uid("q"), "main", likeness, Given.on("B", 8, "C", 8));
    Settled served = new Settled(p, Given.on("B", 8, "C", 8));
    assertEquals(Map.of(q, Given.on("A", 8, "B", 8)), assign(List.of(served), List.of(q)));
    assertEquals(
        Map.of(q, Given.on("A", 8, "C", 8)), assign(List.of(served), List.of(q), Given.on("B", 8)));
  }
}
