package io.gpumem.core.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Demand;
import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.ledger.NodeLedger;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.world.Given;
import io.gpumem.core.world.NodeSketch;
import io.gpumem.core.world.Seeds;
import io.gpumem.core.world.Worlds;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An answer "fits" is really legal, and an answer "does not" is given only when nothing is. */
class PlacementProperties {

  private static final String SEEDS = "io.gpumem.core.world.Seeds#many";

  /** A demand, a choice and a node's books; the node is cut to what brute force can try. */
  private record Case(Demand demand, DeviceChoice choice, NodeLedger ledger) {

    static Case of(Worlds worlds) {
      return new Case(worlds.demand(), worlds.choice(), worlds.world().books().ledger());
    }

    Verdict place(Policy policy) {
      return Placement.place(demand, choice, policy, ledger);
    }

    /** The devices that may take units of this demand. */
    List<Device> usable() {
      List<Device> usable = new ArrayList<>();
      for (Device device : ledger.inventory().devices()) {
        boolean wanted = choice.models().isEmpty() || choice.models().contains(device.model());
        if (wanted && device.health().isHealthy() && !ledger.isCordoned(device.uuid())) {
          usable.add(device);
        }
      }
      return usable;
    }

    /** Whether the devices that are open are too few, or all smaller than a piece of the demand. */
    boolean isShortOfOpenDevices() {
      long piece =
          demand.hasOrdinaryInit()
              ? demand.footprint()
              : demand.containers().stream()
                  .mapToLong(it -> it.units() / choice.devices())
                  .max()
                  .orElse(0);
      return usable().size() < choice.devices()
          || usable().stream().allMatch(device -> device.units() < piece);
    }

    /** Whether the demand can be placed at all, by trying everything. */
    boolean isPlaceable() {
      boolean init = demand.containers().stream().anyMatch(it -> it.phase() == Phase.INIT);
      if (init) {
        return choice.devices() == 1
            && usable().stream().anyMatch(it -> ledger.free(it) >= demand.footprint());
      }
      Map<DeviceUuid, Long> room = new TreeMap<>();
      usable().forEach(device -> room.put(device.uuid(), ledger.free(device)));
      return isPlaceable(0, room);
    }

    private boolean isPlaceable(int at, Map<DeviceUuid, Long> room) {
      if (at == demand.containers().size()) {
        return true;
      }
      long units = demand.containers().get(at).units();
      if (units % choice.devices() != 0) {
        return false;
      }
      for (Set<DeviceUuid> set : sets(List.copyOf(room.keySet()), choice.devices())) {
        Map<DeviceUuid, Long> less = new TreeMap<>(room);
        set.forEach(device -> less.merge(device, -units / choice.devices(), Long::sum));
        if (less.values().stream().allMatch(left -> left >= 0) && isPlaceable(at + 1, less)) {
          return true;
        }
      }
      return false;
    }
  }

  private static List<Set<DeviceUuid>> sets(List<DeviceUuid> devices, int size) {
    List<Set<DeviceUuid>> sets = new ArrayList<>();
    for (int mask = 0; mask < 1 << devices.size(); mask++) {
      Set<DeviceUuid> set = new HashSet<>();
      for (int i = 0; i < devices.size(); i++) {
        if ((mask >> i & 1) == 1) {
          set.add(devices.get(i));
        }
      }
      if (set.size() == size) {
        sets.add(set);
      }
    }
    return sets;
  }

  /** What is wrong with a placement; empty when it is legal. */
  private static Optional<String> wrong(Case some, Verdict.Fits fits) {
    Map<DeviceUuid, BigInteger> taken = new TreeMap<>();
    Set<DeviceUuid> devices = new HashSet<>();
    Set<String> asked = new HashSet<>();
    for (ContainerDemand container : some.demand.containers()) {
      asked.add(container.container());
      Map<DeviceUuid, Long> place = fits.containers().getOrDefault(container.container(), Map.of());
      if (place.size() != some.choice.devices()) {
        return Optional.of("not on the number of devices: " + container);
      }
      if (place.values().stream().distinct().count() != 1
          || place.values().stream().mapToLong(Long::longValue).sum() != container.units()) {
        return Optional.of("not in equal shares of what is asked: " + container);
      }
      devices.addAll(place.keySet());
      place.forEach((device, n) -> taken.merge(device, BigInteger.valueOf(n), BigInteger::add));
    }
    if (!fits.containers().keySet().equals(asked)) {
      return Optional.of("other containers than asked");
    }
    if (!some.usable().stream().map(Device::uuid).toList().containsAll(devices)) {
      return Optional.of("on a device that is closed, of another model or not here");
    }
    boolean init = some.demand.hasOrdinaryInit();
    if (init && devices.size() != 1) {
      return Optional.of("a pod with an init request on several devices");
    }
    long least = Long.MAX_VALUE;
    for (DeviceUuid device : devices) {
      BigInteger used =
          init ? BigInteger.valueOf(some.demand.footprint()) : taken.getOrDefault(device, null);
      BigInteger left = BigInteger.valueOf(some.ledger.free(device)).subtract(used);
      if (left.signum() < 0) {
        return Optional.of("more than is free on " + device);
      }
      least = Math.min(least, left.longValueExact());
    }
    return least == fits.leftover()
        ? Optional.empty()
        : Optional.of("leaves " + least + " and not " + fits.leftover());
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void fitsExactlyWhenBruteForceFindsAPlaceAndLegally(long seed) {
    Worlds worlds = new Worlds(seed);
    for (int i = 0; i < 10; i++) {
      Case some = Case.of(worlds);
      for (Policy policy : Policy.values()) {
        String what = "seed " + seed + " round " + i + " " + policy + ": " + some;
        switch (some.place(policy)) {
          case Verdict.Fits fits -> assertEquals(Optional.empty(), wrong(some, fits), what);
          case Verdict.Refused refused ->
              assertTrue(!some.isPlaceable(), refused.why() + " though it fits, " + what);
        }
      }
    }
  }

  /** Up to 16 pieces that fill every device to the last unit: hard to find, known to be there. */
  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void aDemandCutFromTheFreeRoomIsAlwaysPlaced(long seed) {
    Random random = new Worlds(seed).random();
    long[] units = new long[2 + random.nextInt(3)];
    List<ContainerDemand> pieces = new ArrayList<>();
    for (int i = 0; i < units.length; i++) {
      units[i] = 3 + random.nextInt(20);
      for (long left = units[i]; left > 0; left -= pieces.getLast().units()) {
        long piece = pieces.size() < 12 ? Math.min(left, 2 + random.nextInt(9)) : left;
        pieces.add(new ContainerDemand("c" + pieces.size(), Phase.APP, piece));
      }
    }
    Collections.shuffle(pieces, random);
    NodeLedger ledger = NodeSketch.of(units).books().ledger();
    Case some = new Case(new Demand(pieces), DeviceChoice.ANY, ledger);
    for (Policy policy : Policy.values()) {
      Verdict verdict = some.place(policy);
      assertInstanceOf(Verdict.Fits.class, verdict, "seed " + seed + ": " + some);
      assertEquals(Optional.empty(), wrong(some, (Verdict.Fits) verdict), "seed " + seed);
    }
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void aPlacementBecomesAReservationThatIsBelieved(long seed) {
    Worlds worlds = new Worlds(seed);
    Case some = Case.of(worlds);
    if (some.place(Policy.BINPACK) instanceof Verdict.Fits fits) {
      Reservation plan =
          new Reservation(Given.uid("p"), Given.NODE, some.choice, fits.containers());
      assertEquals(
          Optional.empty(),
          plan.distrust(Given.uid("p"), Given.NODE, some.demand, some.ledger.inventory()),
          "seed " + seed);
    }
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void bothPoliciesRefuseForTheSameReasonAndTheReasonIsTrue(long seed) {
    Worlds worlds = new Worlds(seed);
    Case some = Case.of(worlds);
    if (!(some.place(Policy.BINPACK) instanceof Verdict.Refused refused)) {
      return;
    }
    assertEquals(refused, some.place(Policy.SPREAD), "seed " + seed);
    long free = some.usable().stream().mapToLong(some.ledger::free).sum();
    boolean enough = free >= some.demand.footprint();
    switch (refused.why()) {
      case CLOSED -> assertTrue(some.isShortOfOpenDevices(), "seed " + seed);
      case TOO_LITTLE -> assertTrue(!enough, "seed " + seed);
      case FRAGMENTED -> assertTrue(enough, "seed " + seed);
      case TOO_LARGE -> {
        long largest =
            some.ledger.inventory().devices().stream().mapToLong(Device::units).max().orElse(0);
        boolean init = some.demand.hasOrdinaryInit();
        long piece =
            init
                ? some.demand.footprint()
                : some.demand.containers().stream()
                    .mapToLong(it -> it.units() / some.choice.devices())
                    .max()
                    .orElse(0);
        boolean fitsSomeModel = some.choice.models().isEmpty() && piece <= largest;
        assertTrue(!fitsSomeModel, "seed " + seed);
      }
      default -> assertTrue(!refused.why().isCurableByPreemption(), "seed " + seed);
    }
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void oneContainerGoesToTheFullestOrTheEmptiestDeviceThatFits(long seed) {
    Worlds worlds = new Worlds(seed);
    NodeLedger ledger = worlds.world().books().ledger();
    Demand one = new Demand(List.of(new ContainerDemand("main", Phase.APP, worlds.units())));
    Case some = new Case(one, DeviceChoice.ANY, ledger);
    List<Long> rooms =
        some.usable().stream().map(ledger::free).filter(it -> it >= one.footprint()).toList();
    if (some.place(Policy.BINPACK) instanceof Verdict.Fits tight
        && some.place(Policy.SPREAD) instanceof Verdict.Fits wide) {
      long least = rooms.stream().mapToLong(Long::longValue).min().orElseThrow();
      long most = rooms.stream().mapToLong(Long::longValue).max().orElseThrow();
      assertEquals(least - one.footprint(), tight.leftover(), "seed " + seed);
      assertEquals(most - one.footprint(), wide.leftover(), "seed " + seed);
    } else {
      assertTrue(rooms.isEmpty(), "seed " + seed);
    }
  }

  /** The laws say little if all cases end alike. */
  @Test
  void theCasesAreRich() {
    Map<String, Integer> seen = new TreeMap<>();
    for (long seed = 1; seed <= 2000; seed++) {
      Case some = Case.of(new Worlds(seed));
      String end =
          switch (some.place(Policy.BINPACK)) {
            case Verdict.Fits fits -> "fits " + fits.containers().size();
            case Verdict.Refused refused -> refused.why().name();
          };
      seen.merge(end, 1, Integer::sum);
    }
    for (String end :
        List.of(
            "fits 1",
            "fits 2",
            "fits 3",
            "FRAGMENTED",
            "TOO_LITTLE",
            "TOO_LARGE",
            "CLOSED",
            "INDIVISIBLE",
            "INIT_ON_SEVERAL",
            "TOO_FEW_DEVICES",
            "NO_SUCH_MODEL")) {
      assertTrue(seen.getOrDefault(end, 0) >= 5, end + " of " + seen);
    }
  }
}
