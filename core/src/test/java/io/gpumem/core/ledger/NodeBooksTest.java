package io.gpumem.core.ledger;

import static io.gpumem.core.world.PodSketch.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.reservation.Likeness;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.world.Given;
import io.gpumem.core.world.NodeSketch;
import io.gpumem.core.world.PodSketch;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeBooksTest {

  private static final NodeSketch TWO = NodeSketch.of(16, 16);
  private static final DeviceUuid A = Given.uuid("A");
  private static final DeviceUuid B = Given.uuid("B");

  private static void assertUsed(long onA, long onB, long unplaced, NodeBooks books) {
    NodeLedger ledger = books.ledger();
    assertEquals(
        "A " + onA + ", B " + onB + ", unplaced " + unplaced,
        "A " + ledger.used(A) + ", B " + ledger.used(B) + ", unplaced " + ledger.unplaced());
  }

  private static List<Discrepancy.Kind> kinds(NodeBooks books) {
    return books.discrepancies().stream().map(Discrepancy::kind).toList();
  }

  private static Map<DeviceUuid, Long> goal(NodeBooks books, String pod) {
    return books.outstanding().stream()
        .filter(each -> each.pod().equals(Given.uid(pod)))
        .findFirst()
        .orElseThrow()
        .devices();
  }

  @Test
  void anEmptyNodeIsFree() {
    NodeBooks books = TWO.books();
    assertUsed(0, 0, 0, books);
    assertEquals(16, books.ledger().free(A));
    assertTrue(books.outstanding().isEmpty() && books.discrepancies().isEmpty());
  }

  @Test
  void aReservationCountsUntilTheTableShowsThePod() {
    PodSketch p = pod("p").app("main", 10).reserved("A");
    NodeBooks planned = TWO.books(p);
    assertUsed(10, 0, 0, planned);
    assertEquals(Given.on("A", 10), goal(planned, "p"));
    NodeBooks given = TWO.shows("p", "main", Given.on("A", 10)).books(p);
    assertUsed(10, 0, 0, given);
    assertTrue(given.outstanding().isEmpty());
  }

  @Test
  void theTableIsBelievedOverTheReservation() {
    PodSketch p = pod("p").app("main", 10).reserved("A");
    assertUsed(0, 10, 0, TWO.shows("p", "main", Given.on("B", 10)).books(p));
  }

  @Test
  void aPodThatIsGoneIsOutOfTheBooksWhateverTheAnnotationSays() {
    NodeSketch node = TWO.shows("p", "main", Given.on("A", 10)).init("q", Given.on("B", 4));
    assertUsed(0, 0, 0, node.books());
  }

  @Test
  void twoContainersAreBookedEachOnItsDevice() {
    PodSketch p =
        pod("p")
            .app("c1", 1)
            .app("c2", 2)
            .reserved("c1", Given.on("A", 1))
            .reserved("c2", Given.on("B", 2));
    assertUsed(1, 2, 0, TWO.books(p));
    NodeBooks half = TWO.shows("p", "c1", Given.on("A", 1)).books(p);
    assertUsed(1, 2, 0, half);
    assertEquals(List.of("c2"), half.outstanding().stream().map(Outstanding::container).toList());
  }

  @Test
  void aPodWithoutReservationIsTakenOffEveryDevice() {
    NodeBooks books = TWO.books(pod("p").app("main", 10));
    assertUsed(0, 0, 10, books);
    assertEquals(6, books.ledger().free(A));
    assertEquals(6, books.ledger().free(B));
    assertEquals(List.of(Discrepancy.Kind.UNPLACED_POD), kinds(books));
    NodeBooks shown = TWO.shows("p", "main", Given.on("B", 10)).books(pod("p").app("main", 10));
    assertUsed(0, 10, 0, shown);
    assertEquals(List.of(), kinds(shown));
  }

  @Test
  void anUnreadableReservationIsNone() {
    NodeBooks books =
        TWO.booksOf(List.of(pod("p").app("main", 4).facts(Decoded.malformed("no JSON"))));
    assertUsed(0, 0, 4, books);
    assertEquals(
        List.of(Discrepancy.Kind.RESERVATION_UNREADABLE, Discrepancy.Kind.UNPLACED_POD),
        kinds(books));
  }

  @Test
  void forgedReservationsAreNoneAndCounted() {
    PodSketch honest = pod("p").app("main", 4);
    PodSketch other = pod("q").app("main", 4).reserved("A");
    Map<Discrepancy.Kind, Decoded<io.gpumem.core.facts.Reservation>> forged =
        Map.of(
            Discrepancy.Kind.RESERVATION_OTHER_UID, Decoded.ok(other.reservation()),
            Discrepancy.Kind.RESERVATION_UNKNOWN_DEVICE,
                Decoded.ok(honest.reserved("X").reservation()),
            Discrepancy.Kind.RESERVATION_OTHER_AMOUNTS,
                Decoded.ok(honest.reserved("main", Given.on("A", 1)).reservation()));
    forged.forEach(
        (kind, reservation) -> {
          NodeBooks books = TWO.booksOf(List.of(honest.facts(reservation)));
          assertUsed(0, 0, 4, books);
          assertEquals(List.of(kind, Discrepancy.Kind.UNPLACED_POD), kinds(books));
        });
  }

  @Test
  void unknownHoldersCount() {
    NodeBooks books = TWO.unknown("who", Given.on("A", 3)).books();
    assertUsed(3, 0, 0, books);
    assertEquals(List.of(Discrepancy.Kind.UNKNOWN_HOLDER), kinds(books));
    PodSketch who = pod("who").app("main", 4).reserved("A");
    assertUsed(7, 0, 0, TWO.unknown("who", Given.on("A", 3)).books(who));
  }

  @Test
  void aPodSeenWithoutDevicesHoldsNothing() {
    PodSketch p = pod("p").app("main", 10).reserved("A");
    NodeBooks books = TWO.showsNothing("p").books(p);
    assertUsed(0, 0, 0, books);
    assertTrue(books.outstanding().isEmpty());
    assertEquals(List.of(Discrepancy.Kind.POD_WITHOUT_DEVICE), kinds(books));
  }

  @Test
  void aPodWithAnInitRequestIsNeverTakenToHoldNothing() {
    PodSketch planned = pod("p").init("i", 10).app("main", 4).reserved("A");
    NodeBooks books = TWO.showsNothing("p").books(planned);
    assertUsed(10, 0, 0, books);
    assertEquals(2, books.outstanding().size());
    assertUsed(0, 0, 10, TWO.showsNothing("p").books(pod("p").init("i", 10).app("main", 4)));
  }

  @Test
  void aContainerShownWithoutDevicesIsStillToCome() {
    PodSketch p = pod("p").app("main", 10).reserved("A");
    NodeBooks books = TWO.shows("p", "main", Map.of()).books(p);
    assertUsed(10, 0, 0, books);
    assertEquals(Given.on("A", 10), goal(books, "p"));
  }

  @Test
  void anEntryThatShowsLessThanTheSpecAsksDoesNotLessenTheBooks() {
    PodSketch p = pod("p").app("main", 10).reserved("A");
    assertUsed(0, 10, 0, TWO.shows("p", "main", Given.on("B", 1)).books(p));
    PodSketch two = pod("p").app("main", 8).app("side", 4).reserved("A");
    assertUsed(4, 8, 0, TWO.shows("p", "main", Given.on("B", 1)).books(two));
    assertUsed(
        1,
        11,
        0,
        TWO.shows("p", "main", Given.on("B", 1))
            .shows("p", "side", Given.on("A", 1))
            .init("p", Given.on("B", 10))
            .books(two));
  }

  @Test
  void anEntryThatShowsMoreThanTheSpecAsksCountsInFull() {
    PodSketch p = pod("p").app("main", 4).reserved("A");
    assertUsed(12, 0, 0, TWO.shows("p", "main", Given.on("A", 12)).books(p));
  }

  @Test
  void theInitSurplusStaysBookedForThePodsLife() {
    PodSketch p = pod("p").init("i", 10).app("main", 4).reserved("A");
    assertUsed(10, 0, 0, TWO.books(p));
    assertUsed(10, 0, 0, TWO.init("p", Given.on("A", 10)).books(p));
    NodeSketch running = TWO.shows("p", "main", Given.on("A", 4));
    assertUsed(10, 0, 0, running.books(p));
    assertUsed(10, 0, 0, running.init("p", Given.on("A", 6)).books(p));
    Holding holding = running.books(p).ledger().holding("uid:uid-p").orElseThrow();
    assertEquals(Given.on("A", 4), holding.allocated());
    assertEquals(Given.on("A", 6), holding.surplus());
  }

  @Test
  void aPodWithOnlyAnInitRequestIsBookedWhereItsIdsAre() {
    PodSketch p = pod("p").init("i", 6).reserved("A");
    assertUsed(0, 6, 0, TWO.init("p", Given.on("B", 6)).books(p));
    assertUsed(0, 6, 0, TWO.init("p", Given.on("B", 6)).books(pod("p").init("i", 6)));
    assertUsed(6, 0, 0, TWO.books(p));
    assertUsed(0, 0, 6, TWO.books(pod("p").init("i", 6)));
  }

  @Test
  void aPodWithAnInitRequestIsBookedWhereItIsShownNotWhereItWasPlanned() {
    PodSketch p = pod("p").init("i", 10).app("main", 4).app("side", 4).reserved("A");
    NodeBooks books = TWO.shows("p", "main", Given.on("B", 4)).books(p);
    assertUsed(0, 10, 0, books);
    assertEquals(
        List.of("side"), books.outstanding().stream().map(Outstanding::container).toList());
    assertEquals(Given.on("B", 4), goal(books, "p"));
  }

  @Test
  void whatAnInitContainerHoldsOnAnotherDeviceIsNotCountedTwice() {
    PodSketch p = pod("p").init("i", 4).app("main", 8).reserved("A");
    NodeSketch odd = TWO.shows("p", "main", Given.on("A", 4)).init("p", Given.on("B", 4));
    assertUsed(4, 4, 0, odd.books(p));
  }

  @Test
  void initContainersHaveBeenServedOnceAnythingOfThePodIsGiven() {
    PodSketch p = pod("p").init("i", 10).app("main", 4).reserved("A");
    assertEquals(
        List.of(Phase.INIT, Phase.APP),
        TWO.books(p).outstanding().stream().map(Outstanding::phase).toList());
    assertEquals(
        List.of(Phase.APP),
        TWO.init("p", Given.on("A", 10)).books(p).outstanding().stream()
            .map(Outstanding::phase)
            .toList());
  }

  @Test
  void aWholeSwapIsTheTruth() {
    PodSketch p = pod("p").app("main", 10).reserved("A");
    PodSketch q = pod("q").app("main", 10).reserved("B");
    NodeSketch swapped =
        TWO.shows("p", "main", Given.on("B", 10)).shows("q", "main", Given.on("A", 10));
    assertUsed(10, 10, 0, swapped.books(p, q));
    assertEquals(List.of(), kinds(swapped.books(p, q)));
  }

  @Test
  void halfASwapMovesTheOtherReservationToTheVacantDevice() {
    PodSketch p = pod("p").app("main", 10).reserved("A");
    PodSketch q = pod("q").app("main", 10).reserved("B");
    NodeBooks books = TWO.shows("p", "main", Given.on("B", 10)).books(p, q);
    assertUsed(10, 10, 0, books);
    assertEquals(Given.on("A", 10), goal(books, "q"));
    assertEquals(List.of(), kinds(books));
  }

  @Test
  void halfASwapMovesNoUnlikeReservation() {
    PodSketch p = pod("p").app("main", 10).reserved("A");
    PodSketch q = pod("q").app("main", 6).reserved("B");
    NodeBooks books = TWO.shows("p", "main", Given.on("B", 10)).books(p, q);
    assertUsed(0, 16, 0, books);
    assertEquals(Given.on("B", 6), goal(books, "q"));
  }

  @Test
  void aReservationComesBackWhenTheSwappedPodEnds() {
    PodSketch q = pod("q").app("main", 10).reserved("B");
    NodeBooks books = TWO.shows("p", "main", Given.on("B", 10)).books(q);
    assertEquals(Given.on("B", 10), goal(books, "q"));
  }

  /** P and Q swapped, Q ended, and what it left on A was given to another pod. */
  @Test
  void aPlaceLeftVacantLongAgoAndGivenAwayTakesNoNewReservation() {
    PodSketch p = pod("p").app("main", 4).reserved("A");
    PodSketch big = pod("big").app("main", 16).reserved("A");
    PodSketch late = pod("late").app("main", 4).reserved("B");
    NodeSketch node =
        TWO.shows("p", "main", Given.on("B", 4)).shows("big", "main", Given.on("A", 16));
    NodeBooks books = node.books(p, big, late);
    assertEquals(Given.on("B", 4), goal(books, "late"));
    assertUsed(16, 8, 0, books);
    assertEquals(List.of(), kinds(books));
  }

  @Test
  void requestsOfTwoSizesSwappedCrosswiseFindTheirPlaces() {
    PodSketch p = pod("p").app("main", 10).reserved("A");
    PodSketch q = pod("q").app("main", 10).reserved("B");
    PodSketch r = pod("r").app("main", 6).reserved("B");
    PodSketch s = pod("s").app("main", 6).reserved("A");
    NodeBooks books =
        TWO.shows("q", "main", Given.on("A", 10))
            .shows("s", "main", Given.on("B", 6))
            .books(p, q, r, s);
    assertUsed(16, 16, 0, books);
    assertEquals(Given.on("B", 10), goal(books, "p"));
    assertEquals(Given.on("A", 6), goal(books, "r"));
  }

  /** A pod that skipped the extender took the device that was reserved for another. */
  @Test
  void aReservationThatLostItsRoomIsBookedWhereThereIsSome() {
    PodSketch loner = pod("loner").app("main", 10);
    PodSketch planned = pod("ok").app("main", 10).reserved("A");
    NodeBooks books = TWO.shows("loner", "main", Given.on("A", 10)).books(loner, planned);
    assertUsed(10, 10, 0, books);
    assertEquals(Given.on("B", 10), goal(books, "ok"));
  }

  @Test
  void overUseIsShownWithNothingFree() {
    NodeBooks books = TWO.unknown("who", Given.on("A", 20)).books();
    assertUsed(20, 0, 0, books);
    assertEquals(0, books.ledger().free(A));
    assertTrue(
        books
            .discrepancies()
            .contains(new Discrepancy(Discrepancy.Kind.OVER_USE, "GPU-A: 20 of 16")));
  }

  @Test
  void unknownDevicesThatAreHeldAreTold() {
    NodeBooks books = TWO.unknown("who", Given.on("X", 4)).books();
    assertUsed(0, 0, 0, books);
    assertTrue(
        books
            .discrepancies()
            .contains(new Discrepancy(Discrepancy.Kind.UNKNOWN_DEVICE_HELD, "GPU-X")));
  }

  @Test
  void requestsOfOneSizeAndUnlikeChoiceAreConfused() {
    NodeBooks books = TWO.books(pod("p").app("main", 10).reserved("A"));
    Likeness same = new Likeness(10, 1, Set.of(A, B), Optional.empty());
    assertFalse(books.isConfused(same));
    assertFalse(books.isConfused(new Likeness(9, 2, Set.of(A), Optional.empty())));
    assertTrue(books.isConfused(new Likeness(10, 2, Set.of(A, B), Optional.empty())));
    assertTrue(books.isConfused(new Likeness(10, 1, Set.of(A), Optional.empty())));
    assertTrue(books.isConfused(new Likeness(10, 1, Set.of(A, B), Optional.of(Given.uid("q")))));
  }

  @Test
  void aPodWithAnInitRequestIsConfusedWithAnyRequestOfItsSizes() {
    NodeBooks books = TWO.books(pod("p").init("i", 4).app("main", 8).reserved("A"));
    for (long units : new long[] {4, 8}) {
      assertTrue(books.isConfused(new Likeness(units, 1, Set.of(A, B), Optional.empty())));
    }
    assertFalse(books.isConfused(new Likeness(5, 1, Set.of(A, B), Optional.empty())));
  }

  @Test
  void choicesAreUnlikeByTheirDevicesHereNotByTheirText() {
    PodSketch p =
        pod("p")
            .app("main", 10)
            .choosing(new DeviceChoice(1, Set.of(Given.MODEL, "NVIDIA L4")))
            .reserved("A");
    Likeness any = new Likeness(10, 1, Set.of(A, B), Optional.empty());
    assertFalse(TWO.books(p).isConfused(any));
  }

  @Test
  void requestsWaitInTheOrderOfTheirPodsAndContainers() {
    NodeBooks books =
        TWO.books(
            pod("q").app("main", 10).reserved("A"),
            pod("p").app("side", 4).app("main", 2).reserved("B"),
            pod("r").app("main", 4).reserved("A"));
    assertEquals(
        List.of("q main 10", "p side 4", "p main 2", "r main 4"),
        books.outstanding().stream()
            .map(
                each -> each.name().name() + " " + each.container() + " " + each.likeness().units())
            .toList());
  }

  @Test
  void aPodOfSeveralDevicesIsBookedInSharesOnEach() {
    PodSketch p =
        pod("p")
            .app("main", 10)
            .choosing(new DeviceChoice(2, Set.of()))
            .reserved("main", Given.on("A", 5, "B", 5));
    assertUsed(5, 5, 0, TWO.books(p));
  }
}
