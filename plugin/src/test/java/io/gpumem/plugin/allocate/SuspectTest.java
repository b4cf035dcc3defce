package io.gpumem.plugin.allocate;

import static io.gpumem.plugin.allocate.Known.A;
import static io.gpumem.plugin.allocate.Known.ids;
import static io.gpumem.plugin.allocate.Known.loner;
import static io.gpumem.plugin.allocate.Known.name;
import static io.gpumem.plugin.allocate.Known.shows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** IDs that the kubelet offers as free though another pod was last known to hold them. */
final class SuspectTest {

  private final AtomicLong nanos = new AtomicLong();
  private final Map<PodName, HolderCheck.Held> kubelet = new HashMap<>();
  private final List<PodName> asked = new ArrayList<>();
  private final Allocator allocator =
      new Allocator(
          Known.NODE,
          Allocator.Matching.ON,
          Duration.ZERO,
          () -> true,
          (pod, limit) -> {
            asked.add(pod);
            return kubelet.getOrDefault(pod, new HolderCheck.Held.Gone());
          },
          nanos::get,
          event -> {});

  SuspectTest() {
    allocator.inventory(Known.inventory(8));
  }

  @Test
  void refusesWhatAnotherPodWasGivenAMomentAgoAndDoesNotShowYet() {
    allocator.podSeen(loner("p", 8));
    allocator.podSeen(loner("q", 8));
    granted(call());
    emptyInTheTable("p", "q");

    assertTrue(refused(call()).contains("a moment ago"));
  }

  @Test
  void refusesTheSecondOfTwoCallsThatWereToldTheSameIds() {
    allocator.podSeen(loner("p", 8));
    allocator.podSeen(loner("q", 8));
    emptyInTheTable("p", "q");
    List<String> first = call();
    List<String> second = call();

    granted(first);

    refused(second);
  }

  @Test
  void givesWhatAPodWasGivenThatHasEndedSince() {
    allocator.podSeen(loner("p", 8));
    allocator.podSeen(loner("q", 8));
    granted(call());
    emptyInTheTable("q");
    allocator.podGone(new PodUid("uid-p"));

    granted(call());
  }

  @Test
  void asksNothingWhenThePodGetsItsOwnUnitsAgain() {
    allocator.podSeen(loner("p", 8));
    granted(call());
    allocator.shown(shows("p", 1, Map.of("main", ids(A, 0, 8))));
    List<String> all = ids(A, 0, 8);

    allocator.prefer(new PreferredCall(all, Set.copyOf(all), 8));
    granted(all);

    assertEquals(List.of(), asked);
  }

  @Test
  void refusesWhatItsHolderStillShows() {
    holds("p");
    kubelet.put(
        name("p"), new HolderCheck.Held.Listed(shows("p", 5, Map.of("main", ids(A, 0, 8)))));

    assertTrue(refused(call()).contains("team-a/p still holds"));
  }

  @Test
  void givesWhatItsHolderShowsNoMore() {
    holds("p");
    emptyInTheTable("p");

    granted(call());
  }

  @Test
  void refusesWhatARunningPodLostWithTheTable() {
    holds("p");
    allocator.tableMayBeLost();
    emptyInTheTable("p");

    assertTrue(refused(call()).contains("team-a/p still holds"));
  }

  @Test
  void takesAPodForALoserAlsoWhenTheRestartIsNoticedLate() {
    holds("p");
    nanos.set(Duration.ofSeconds(2).toNanos());
    allocator.shown(shows("p", nanos.get(), Map.of()));
    nanos.set(Duration.ofSeconds(3).toNanos());
    allocator.tableMayBeLost();
    emptyInTheTable("p");

    refused(call());
  }

  @Test
  void keepsWhatALivePodHoldsWhileARestartedKubeletDoesNotKnowThePod() {
    holds("p");
    allocator.tableMayBeLost();
    allocator.notShown(name("p"), nanos.incrementAndGet());

    assertEquals(8, allocator.heldIds().size());
  }

  @Test
  void takesANewPodWhoseReservationIsLateForNoLoser() throws Exception {
    CountDownLatch called = new CountDownLatch(1);
    Allocator patient =
        new Allocator(
            Known.NODE,
            Allocator.Matching.ON,
            Duration.ofSeconds(20),
            () -> {
              called.countDown();
              return true;
            },
            (pod, limit) -> new HolderCheck.Held.Gone(),
            System::nanoTime,
            event -> {});
    patient.inventory(Known.inventory(8));
    patient.podSeen(loner("old", 3));
    patient.shown(shows("old", System.nanoTime(), Map.of("main", ids(A, 0, 3))));
    patient.tableMayBeLost();
    patient.shown(shows("old", System.nanoTime(), Map.of()));

    var answer =
        CompletableFuture.supplyAsync(
            () -> patient.prefer(new PreferredCall(ids(A, 0, 8), Set.of(), 3)));
    assertTrue(called.await(20, TimeUnit.SECONDS));
    patient.podSeen(Known.pod("new", 3, A));

    assertEquals(ids(A, 3, 6), answer.get(20, TimeUnit.SECONDS));
  }

  @Test
  void acceptsAndCountsWhenTheKubeletDoesNotAnswer() {
    holds("p");
    kubelet.put(name("p"), new HolderCheck.Held.Unknown("too late"));

    granted(call());
  }

  private void holds(String pod) {
    allocator.podSeen(loner(pod, 8));
    granted(call());
    allocator.shown(shows(pod, nanos.incrementAndGet(), Map.of("main", ids(A, 0, 8))));
    allocator.podSeen(loner("q", 8));
  }

  private void emptyInTheTable(String... pods) {
    for (String pod : pods) {
      kubelet.put(
          name(pod), new HolderCheck.Held.Listed(shows(pod, nanos.incrementAndGet(), Map.of())));
    }
  }

  /** A preferred call with all IDs offered as free. */
  private List<String> call() {
    return allocator.prefer(new PreferredCall(ids(A, 0, 8), Set.of(), 8));
  }

  private void granted(List<String> ids) {
    assertInstanceOf(Allocator.Outcome.Granted.class, allocator.allocate(ids));
  }

  private String refused(List<String> ids) {
    return assertInstanceOf(Allocator.Outcome.Refused.class, allocator.allocate(ids)).why();
  }
}
