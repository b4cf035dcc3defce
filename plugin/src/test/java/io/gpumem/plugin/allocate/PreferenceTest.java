package io.gpumem.plugin.allocate;

import static io.gpumem.plugin.allocate.Known.A;
import static io.gpumem.plugin.allocate.Known.B;
import static io.gpumem.plugin.allocate.Known.C;
import static io.gpumem.plugin.allocate.Known.ids;
import static io.gpumem.plugin.allocate.Known.inventory;
import static io.gpumem.plugin.allocate.Known.loner;
import static io.gpumem.plugin.allocate.Known.parsed;
import static io.gpumem.plugin.allocate.Known.pod;
import static io.gpumem.plugin.allocate.Known.shows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PreferenceTest {

  private final NodeState state = new NodeState(Known.NODE);

  @Test
  void staysWithThePrescribedIdsAndTheirDevice() {
    state.inventory(inventory(8, 8));
    List<String> reused = ids(B, 0, 2);

    Preference.Choice choice = choose(all(8, 8), Set.copyOf(reused), 4);

    assertEquals(Preference.Basis.REUSE, choice.basis());
    assertTrue(choice.ids().containsAll(reused));
    assertEquals(Set.of(B), devices(choice));
  }

  @Test
  void givesALoserBackWhatItHeld() {
    state.inventory(inventory(8, 8));
    state.podSeen(loner("old", 3), 0);
    state.shown(shows("old", 1, Map.of("main", ids(B, 2, 5))), 1);
    state.tableMayBeLost(2);
    state.shown(shows("old", 3, Map.of()), 3);

    Preference.Choice choice = choose(all(8, 8), Set.of(), 3);

    assertEquals(Preference.Basis.LOST, choice.basis());
    assertEquals(parsed(ids(B, 2, 5)), parsed(choice.ids()));
  }

  @Test
  void followsTheFirstReservationOfTheSize() {
    state.inventory(inventory(8, 8));
    state.podSeen(pod("other", 2, A), 0);
    state.podSeen(pod("first", 3, B), 0);
    state.podSeen(pod("second", 3, A), 0);

    Preference.Choice choice = choose(all(8, 8), Set.of(), 3);

    assertEquals(Preference.Basis.RESERVED, choice.basis());
    assertEquals(Set.of(B), devices(choice));
  }

  @Test
  void takesTheFullestCardThatIsNotReservedForOthers() {
    state.inventory(inventory(8, 8, 8));
    state.podSeen(pod("planned", 6, A), 0);

    Preference.Choice choice = choose(all(8, 6, 8), Set.of(), 4);

    assertEquals(Preference.Basis.PLACED, choice.basis());
    assertEquals(Set.of(B), devices(choice));
  }

  @Test
  void doesNotFollowAReservationOntoACardThatTurnedBad() {
    state.inventory(
        new Inventory(
            Memory.ofGib(1),
            List.of(
                Known.device(A, 0, 8).withHealth(new Health.Unhealthy("XID 79")),
                Known.device(B, 1, 8))));
    state.podSeen(pod("planned", 3, A), 0);

    assertEquals(Set.of(B), devices(choose(all(8, 8), Set.of(), 3)));
  }

  @Test
  void takesAnotherCardOfTheWantedModelWhenThePlannedOneIsBad() {
    Set<String> models = Set.of("Other");
    state.inventory(
        new Inventory(
            Memory.ofGib(1),
            List.of(
                Known.device(A, 0, 4),
                of("Other", Known.device(B, 1, 8)).withHealth(new Health.Unhealthy("XID 79")),
                of("Other", Known.device(C, 2, 8)))));
    PodFacts choosy = pod("choosy", 3, B);
    Reservation plan =
        new Reservation(
            choosy.uid(), Known.NODE, new DeviceChoice(1, models), Map.of("main", Map.of(B, 3L)));
    state.podSeen(choosy.boundTo(Known.NODE, plan), 0);

    assertEquals(Set.of(C), devices(choose(all(4, 8, 8), Set.of(), 3)));
  }

  private static Device of(String model, Device device) {
    return new Device(
        device.uuid(),
        device.index(),
        model,
        device.mig(),
        device.memory(),
        device.usable(),
        device.units(),
        device.numa(),
        device.health());
  }

  @Test
  void takesLeftOverRoomOfAHealthyCardFirstThenOfOneThatIsNotCordoned() {
    state.inventory(
        new Inventory(
            Memory.ofGib(1),
            List.of(
                Known.device(A, 0, 8).withHealth(new Health.Unhealthy("XID 79")),
                Known.device(B, 1, 8),
                Known.device(C, 2, 8))));
    state.cordoned(Set.of(B));
    state.podSeen(pod("planned", 6, C), 0);

    assertEquals(Set.of(C), devices(choose(all(8, 8, 8), Set.of(), 4)), "planned for another");
    assertEquals(Set.of(B), devices(choose(all(8, 8, 3), Set.of(), 4)), "cordoned");
  }

  @Test
  void takesReservedRoomWhenThereIsNoOther() {
    state.inventory(inventory(8));
    state.podSeen(pod("planned", 6, A), 0);

    Preference.Choice choice = choose(all(8), Set.of(), 4);

    assertEquals(Preference.Basis.LEFT_OVER, choice.basis());
    assertEquals(4, choice.ids().size());
  }

  @Test
  void mixesOnlyWhenNoOneCardHasEnough() {
    state.inventory(inventory(8, 8));

    Preference.Choice choice = choose(all(3, 2), Set.of(), 5);

    assertEquals(Preference.Basis.MIXED, choice.basis());
    assertEquals(5, Set.copyOf(choice.ids()).size());
  }

  @Test
  void takesAHeldIdLast() {
    state.inventory(inventory(8));
    state.podSeen(loner("p", 4), 0);
    state.shown(shows("p", 1, Map.of("main", ids(A, 0, 4))), 1);

    assertEquals(parsed(ids(A, 4, 8)), parsed(choose(all(8), Set.of(), 4).ids()));
    assertTrue(parsed(choose(all(8), Set.of(), 6).ids()).containsAll(parsed(ids(A, 4, 8))));
  }

  @Test
  void keepsOffACordonedCardWhileAnotherHasRoom() {
    state.inventory(inventory(4, 8));
    state.cordoned(Set.of(A));

    assertEquals(Set.of(B), devices(choose(all(4, 8), Set.of(), 4)));
  }

  @Test
  void keepsThePicksOfOneCallFromTheNextForAMoment() {
    state.inventory(inventory(8));
    PreferredCall call = new PreferredCall(all(8), Set.of(), 4);
    Preference.Choice choice = Preference.choose(state.situation(0), call);
    List<String> first = choice.ids();
    state.picked(call, choice.offered(), first, 0);

    List<String> second = Preference.choose(state.situation(1), call).ids();

    assertTrue(Collections.disjoint(first, second));
    long later = Picks.KEPT_NANOS + 1;
    assertEquals(first, Preference.choose(state.situation(later), call).ids());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void answersExactlyWhatIsAskedWhateverItKnows(long seed) {
    Random chance = new Random(seed);
    for (int round = 0; round < 200; round++) {
      String where = "seed " + seed + " round " + round;
      NodeState known = new NodeState(Known.NODE);
      Inventory inventory =
          inventory(1 + chance.nextInt(8), 1 + chance.nextInt(8), chance.nextInt(8));
      known.inventory(inventory);
      known.cordoned(chance.nextInt(3) == 0 ? Set.of(A) : Set.of());
      List<String> available = new ArrayList<>();
      inventory
          .devices()
          .forEach(device -> available.addAll(ids(device.uuid(), 0, (int) device.units())));
      for (int i = 0; i < chance.nextInt(4); i++) {
        long units = 1 + chance.nextInt(4);
        known.podSeen(
            chance.nextBoolean() ? pod("p" + i, units, pick(chance)) : loner("p" + i, units), 0);
        if (chance.nextBoolean()) {
          Collections.shuffle(available, chance);
          List<String> shown = available.subList(0, (int) Math.min(units, available.size()));
          known.shown(shows("p" + i, 1, Map.of("main", shown)), 1);
        }
      }
      Collections.shuffle(available, chance);
      List<String> offered = available.subList(0, 1 + chance.nextInt(available.size()));
      int size = 1 + chance.nextInt(offered.size());
      Set<String> must =
          chance.nextInt(3) == 0
              ? new HashSet<>(offered.subList(0, chance.nextInt(size + 1)))
              : Set.of();

      List<String> answer =
          Preference.choose(known.situation(2), new PreferredCall(offered, must, size)).ids();

      assertEquals(size, answer.size(), where);
      assertEquals(size, Set.copyOf(answer).size(), where + ": distinct");
      assertTrue(offered.containsAll(answer), where + ": only what is offered");
      assertTrue(answer.containsAll(must), where + ": all that is prescribed");
      if (oneCardCan(offered, must, size)) {
        assertEquals(1, cards(answer).size(), where + ": one card, of " + offered);
      }
    }
  }

  private static boolean oneCardCan(List<String> offered, Set<String> must, int size) {
    return cards(offered).stream()
        .anyMatch(
            card ->
                parsed(List.copyOf(must)).stream().allMatch(id -> id.device().equals(card))
                    && parsed(offered).stream().filter(id -> id.device().equals(card)).count()
                        >= size);
  }

  private static Set<DeviceUuid> cards(List<String> ids) {
    Set<DeviceUuid> cards = new HashSet<>();
    parsed(ids).stream().map(DeviceId::device).forEach(cards::add);
    return cards;
  }

  private static DeviceUuid pick(Random chance) {
    return List.of(A, B, C).get(chance.nextInt(3));
  }

  private Preference.Choice choose(List<String> available, Set<String> must, int size) {
    return Preference.choose(state.situation(10), new PreferredCall(available, must, size));
  }

  private static List<String> all(int... units) {
    List<String> all = new ArrayList<>();
    List<DeviceUuid> uuids = List.of(A, B, C);
    for (int i = 0; i < units.length; i++) {
      all.addAll(ids(uuids.get(i), 0, units[i]));
    }
    Collections.reverse(all);
    return all;
  }

  private static Set<DeviceUuid> devices(Preference.Choice choice) {
    return cards(choice.ids());
  }
}
