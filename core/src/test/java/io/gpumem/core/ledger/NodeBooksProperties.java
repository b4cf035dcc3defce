package io.gpumem.core.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.units.Units;
import io.gpumem.core.world.Given;
import io.gpumem.core.world.Seeds;
import io.gpumem.core.world.World;
import io.gpumem.core.world.Worlds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Laws of a node's books for whatever the world shows. */
class NodeBooksProperties {

  private static final String MANY = "io.gpumem.core.world.Seeds#many";
  private static final String SOME = "io.gpumem.core.world.Seeds#some";

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(MANY)
  void freeIsBetweenZeroAndTheUnits(long seed) {
    NodeLedger ledger = new Worlds(seed).world().books().ledger();
    for (Device device : ledger.inventory().devices()) {
      long free = ledger.free(device);
      assertTrue(free >= 0 && free <= device.units(), "seed " + seed + ": free " + free);
    }
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(MANY)
  void theOrderOfPodsDoesNotMatter(long seed) {
    Worlds worlds = new Worlds(seed);
    World world = worlds.world();
    NodeBooks shuffled = world.shuffled(worlds.random()).books();
    assertEquals(world.books().ledger(), shuffled.ledger(), "seed " + seed);
    assertEquals(world.books().discrepancies(), shuffled.discrepancies(), "seed " + seed);
    assertEquals(
        Set.copyOf(world.books().outstanding()),
        Set.copyOf(shuffled.outstanding()),
        "seed " + seed);
  }

  /** No caller should do it, and no crash of a loop that folds events should come of it. */
  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SOME)
  void podsGivenTwiceAreBookedOnce(long seed) {
    World world = new Worlds(seed).world();
    List<PodFacts> twice = new ArrayList<>(world.pods());
    twice.addAll(world.pods());
    NodeLedger ledger = world.withPods(twice).books().ledger();
    assertEquals(
        world.books().ledger().holdings().stream().map(Holding::holder).toList(),
        ledger.holdings().stream().map(Holding::holder).toList(),
        "seed " + seed);
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(MANY)
  void everyPodIsBookedWithItsFootprintOrMoreUnlessItHoldsNothing(long seed) {
    World world = new Worlds(seed).world();
    NodeLedger ledger = world.books().ledger();
    for (PodFacts pod : world.pods()) {
      Holding holding = ledger.holding("uid:" + pod.uid()).orElseThrow();
      long booked = Units.sum(Units.total(holding.devices()), holding.unplaced());
      boolean enough = booked >= pod.demand().footprint();
      assertTrue(enough || booked == 0, "seed " + seed + ": " + holding + " for " + pod);
    }
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(MANY)
  void aWaitingRequestIsBookedWhereItIsSent(long seed) {
    World world = new Worlds(seed).world();
    NodeBooks books = world.books();
    for (PodFacts pod : world.pods()) {
      if (pod.demand().hasOrdinaryInit()) {
        continue;
      }
      Map<DeviceUuid, Long> goals = new TreeMap<>();
      books.outstanding().stream()
          .filter(each -> each.pod().equals(pod.uid()))
          .forEach(each -> Units.add(goals, each.devices()));
      assertEquals(
          goals,
          books.ledger().holding("uid:" + pod.uid()).orElseThrow().reserved(),
          "seed " + seed);
    }
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(MANY)
  void allRequestsOfAPodWithAnInitRequestAreSentToOneDevice(long seed) {
    World world = new Worlds(seed).world();
    NodeBooks books = world.books();
    for (PodFacts pod : world.pods()) {
      Set<DeviceUuid> goals = new TreeSet<>();
      books.outstanding().stream()
          .filter(each -> each.pod().equals(pod.uid()) && pod.demand().hasOrdinaryInit())
          .forEach(each -> goals.addAll(each.devices().keySet()));
      assertTrue(goals.size() <= 1, "seed " + seed + ": " + goals);
    }
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(MANY)
  void onceAllIsSettledTheBooksAreTheTable(long seed) {
    Worlds worlds = new Worlds(seed);
    World world = worlds.world();
    Map<PodUid, PodAllocation> table = new TreeMap<>();
    Map<DeviceUuid, Long> truth = new TreeMap<>();
    for (PodFacts pod : world.pods()) {
      DeviceUuid home = Given.uuid(String.valueOf((char) ('A' + worlds.random().nextInt(5))));
      Map<String, Map<DeviceUuid, Long>> containers = new TreeMap<>();
      for (ContainerDemand container : pod.demand().containers()) {
        if (container.phase() != Phase.INIT) {
          containers.put(container.container(), Map.of(home, container.units()));
        }
      }
      long surplus = pod.demand().initSurplus();
      Map<DeviceUuid, Long> init = surplus > 0 ? Map.of(home, surplus) : Map.of();
      PodAllocation given = new PodAllocation(pod.name(), containers, init);
      table.put(pod.uid(), given);
      Units.add(truth, given.shown());
      Units.add(truth, given.init());
    }
    NodeBooks books = world.with(new Allocations(table, Map.of())).books();
    assertEquals(List.of(), books.outstanding(), "seed " + seed);
    assertEquals(0, books.ledger().unplaced(), "seed " + seed);
    for (String letter : List.of("A", "B", "C", "D", "E")) {
      DeviceUuid device = Given.uuid(letter);
      assertEquals(truth.getOrDefault(device, 0L), books.ledger().used(device), "seed " + seed);
    }
  }

  /**
   * A node lives: pods come and go, the table is published late, devices fall ill. After every
   * event the books are those of the live set, and those before it with the changed holdings put
   * in.
   */
  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SOME)
  void everyPrefixOfAHistoryHasTheBooksOfTheLiveSet(long seed) {
    Worlds worlds = new Worlds(seed);
    World world = worlds.world();
    NodeLedger folded = world.books().ledger();
    for (int step = 0; step < 25; step++) {
      boolean steady = worlds.random().nextInt(6) > 0;
      world = steady ? afterPodEvent(world, worlds, step) : afterNodeEvent(world, worlds);
      NodeBooks books = world.books();
      String when = "seed " + seed + " step " + step;
      assertEquals(onlyLive(world).books(), books, when);
      folded = steady ? fold(folded, books.ledger()) : books.ledger();
      assertEquals(books.ledger(), folded, when);
      Set<PodUid> live = world.pods().stream().map(PodFacts::uid).collect(Collectors.toSet());
      for (Holding holding : books.ledger().holdings()) {
        assertTrue(holding.uid().map(live::contains).orElse(true), when);
      }
    }
  }

  private static World afterPodEvent(World world, Worlds worlds, int step) {
    List<PodFacts> pods = new ArrayList<>(world.pods());
    if (!pods.isEmpty() && worlds.random().nextBoolean()) {
      pods.remove(worlds.random().nextInt(pods.size()));
    } else {
      pods.add(worlds.pod("new" + step, world.node().inventory()));
    }
    World changed = world.withPods(pods);
    boolean late = worlds.random().nextBoolean();
    return late ? changed : changed.with(worlds.allocations(pods, world.node().inventory()));
  }

  private static World afterNodeEvent(World world, Worlds worlds) {
    NodeFacts node = world.node();
    return new World(
        new NodeFacts(node.name(), worlds.inventory(), node.cordoned(), node.allocations(), false),
        world.pods());
  }

  /** The world without what the annotation says of pods that are gone. */
  private static World onlyLive(World world) {
    Map<PodUid, PodAllocation> live = new TreeMap<>(world.node().allocations().pods());
    live.keySet().retainAll(world.pods().stream().map(PodFacts::uid).toList());
    return world.with(new Allocations(live, world.node().allocations().names()));
  }

  private static NodeLedger fold(NodeLedger before, NodeLedger now) {
    NodeLedger folded = before;
    for (Holding gone : before.holdings()) {
      folded = now.holding(gone.holder()).isEmpty() ? folded.without(gone.holder()) : folded;
    }
    for (Holding holding : now.holdings()) {
      folded = folded.with(holding);
    }
    return folded;
  }
}
