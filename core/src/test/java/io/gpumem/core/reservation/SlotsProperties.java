package io.gpumem.core.reservation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.reservation.Slots.Settled;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Units;
import io.gpumem.core.world.Given;
import io.gpumem.core.world.Seeds;
import io.gpumem.core.world.Worlds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Laws of the places that are left when the kubelet served equals in another order. */
class SlotsProperties {

  private static final String SEEDS = "io.gpumem.core.world.Seeds#many";
  private static final List<String> LETTERS = List.of("A", "B", "C");
  private static final Inventory AMPLE = Given.gpus(1000, 1000, 1000);

  /** Settled and outstanding requests of a few sizes on three devices. */
  private record Case(List<Settled> settled, List<Request> outstanding, Random random) {

    static Case of(long seed) {
      Random random = new Worlds(seed).random();
      List<Settled> settled = new ArrayList<>();
      List<Request> outstanding = new ArrayList<>();
      int count = random.nextInt(10);
      for (int i = 0; i < count; i++) {
        Request request = request("p" + random.nextInt(100) + "-" + i, random);
        if (random.nextBoolean()) {
          outstanding.add(request);
        } else {
          settled.add(new Settled(request, place(request.likeness(), random)));
        }
      }
      return new Case(settled, outstanding, random);
    }

    private static Request request(String pod, Random random) {
      int devices = random.nextInt(4) == 0 ? 2 : 1;
      Set<DeviceUuid> admissible = Set.of(Given.uuid("A"), Given.uuid("B"), Given.uuid("C"));
      Likeness likeness =
          new Likeness(4 + 2 * random.nextInt(2), devices, admissible, Optional.empty());
      return new Request(Given.uid(pod), "main", likeness, place(likeness, random));
    }

    private static Map<DeviceUuid, Long> place(Likeness likeness, Random random) {
      List<String> letters = new ArrayList<>(LETTERS);
      Collections.shuffle(letters, random);
      Map<DeviceUuid, Long> place = new TreeMap<>();
      for (String letter : letters.subList(0, likeness.devices())) {
        place.put(Given.uuid(letter), likeness.units() / likeness.devices());
      }
      return place;
    }

    Map<Request, Map<DeviceUuid, Long>> assign(Inventory inventory) {
      Map<DeviceUuid, Long> taken = new TreeMap<>();
      settled.forEach(each -> Units.add(taken, each.actual()));
      return Slots.assign(settled, outstanding, inventory, Set.of(), taken);
    }

    Case shuffled() {
      List<Settled> served = new ArrayList<>(settled);
      List<Request> waiting = new ArrayList<>(outstanding);
      Collections.shuffle(served, random);
      Collections.shuffle(waiting, random);
      return new Case(served, waiting, random);
    }

    /** Per likeness, the places reserved less the places used. */
    Map<Likeness, List<Map<DeviceUuid, Long>>> left() {
      Map<Likeness, List<Map<DeviceUuid, Long>>> left = new java.util.HashMap<>();
      for (Settled each : settled) {
        Request request = each.request();
        left.computeIfAbsent(request.likeness(), like -> new ArrayList<>()).add(request.reserved());
      }
      for (Request each : outstanding) {
        left.computeIfAbsent(each.likeness(), like -> new ArrayList<>()).add(each.reserved());
      }
      for (Settled each : settled) {
        left.getOrDefault(each.request().likeness(), new ArrayList<>()).remove(each.actual());
      }
      return left;
    }
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void eachOutstandingRequestGetsOnePlaceOfItsSize(long seed) {
    Case some = Case.of(seed);
    Map<Request, Map<DeviceUuid, Long>> places = some.assign(Given.gpus(8, 8, 16));
    assertEquals(Set.copyOf(some.outstanding), places.keySet(), "seed " + seed);
    places.forEach(
        (request, place) -> {
          assertEquals(request.likeness().units(), Units.total(place), "seed " + seed);
          assertEquals(request.likeness().devices(), place.size(), "seed " + seed);
        });
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void withRoomForAllThePlacesAreThoseReservedLessThoseUsed(long seed) {
    Case some = Case.of(seed);
    Map<Likeness, List<Map<DeviceUuid, Long>>> left = some.left();
    Map<Likeness, Integer> spare = new java.util.HashMap<>();
    left.forEach((likeness, places) -> spare.put(likeness, places.size()));
    some.assign(AMPLE)
        .forEach(
            (request, place) -> {
              List<Map<DeviceUuid, Long>> places = left.getOrDefault(request.likeness(), List.of());
              assertTrue(places.remove(place), "seed " + seed + ": twice " + place);
            });
    for (Map.Entry<Likeness, List<Map<DeviceUuid, Long>>> each : left.entrySet()) {
      long waiting =
          some.outstanding.stream().filter(it -> it.likeness().equals(each.getKey())).count();
      int before = spare.getOrDefault(each.getKey(), 0);
      assertEquals(before - waiting, each.getValue().size(), "seed " + seed);
    }
  }

  /** When the kubelet only swapped, nothing is left over: the sums per device are those planned. */
  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void aPureSwapKeepsTheSumsOfEveryDevice(long seed) {
    Case some = Case.of(seed);
    List<Request> all = new ArrayList<>(some.outstanding);
    some.settled.forEach(each -> all.add(each.request()));
    Map<DeviceUuid, Long> planned = new TreeMap<>();
    all.forEach(each -> Units.add(planned, each.reserved()));
    List<Settled> settled = new ArrayList<>();
    List<Request> waiting = new ArrayList<>(all);
    int served = all.isEmpty() ? 0 : some.random.nextInt(all.size());
    List<Request> places = new ArrayList<>(all);
    for (int i = 0; i < served; i++) {
      Request next = waiting.remove(some.random.nextInt(waiting.size()));
      List<Request> equals =
          places.stream().filter(it -> it.likeness().equals(next.likeness())).toList();
      Request given = equals.get(some.random.nextInt(equals.size()));
      places.remove(given);
      settled.add(new Settled(next, given.reserved()));
    }
    long most = planned.values().stream().mapToLong(Long::longValue).max().orElse(0);
    Inventory tight = Given.gpus(most, most, most);
    Map<DeviceUuid, Long> sums = new TreeMap<>();
    settled.forEach(each -> Units.add(sums, each.actual()));
    new Case(settled, waiting, some.random)
        .assign(tight)
        .values()
        .forEach(place -> Units.add(sums, place));
    assertEquals(planned, sums, "seed " + seed);
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void theOrderInWhichRequestsAreGivenDoesNotMatter(long seed) {
    Case some = Case.of(seed);
    for (Inventory inventory : List.of(AMPLE, Given.gpus(8, 8, 16))) {
      assertEquals(some.assign(inventory), some.shuffled().assign(inventory), "seed " + seed);
    }
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void withRoomForAllRequestsMoveOnlyToPlacesOfEqualsThatWereServedElsewhere(long seed) {
    Case some = Case.of(seed);
    some.assign(AMPLE)
        .forEach(
            (request, place) -> {
              boolean vacated =
                  some.settled.stream()
                      .filter(each -> each.request().likeness().equals(request.likeness()))
                      .anyMatch(
                          each ->
                              each.request().reserved().equals(place)
                                  && !each.actual().equals(place));
              assertTrue(
                  place.equals(request.reserved()) || vacated, "seed " + seed + ": " + request);
            });
  }
}
