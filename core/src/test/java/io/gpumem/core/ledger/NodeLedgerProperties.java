package io.gpumem.core.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import io.gpumem.core.world.Given;
import io.gpumem.core.world.Seeds;
import io.gpumem.core.world.Worlds;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Laws of the ledger for holdings of every size on every device, known or not. */
class NodeLedgerProperties {

  private static final String SEEDS = "io.gpumem.core.world.Seeds#many";

  private static Map<DeviceUuid, Long> amounts(Worlds worlds) {
    Map<DeviceUuid, Long> amounts = new TreeMap<>();
    for (String letter : List.of("A", "B", "C", "D", "X")) {
      if (worlds.random().nextInt(3) == 0) {
        amounts.put(Given.uuid(letter), worlds.units());
      }
    }
    return amounts;
  }

  private static Holding holding(Worlds worlds, String pod) {
    return new Holding(
        worlds.random().nextInt(5) == 0 ? Optional.empty() : Optional.of(Given.uid(pod)),
        new PodName("team-a", pod),
        amounts(worlds),
        amounts(worlds),
        amounts(worlds),
        worlds.random().nextInt(4) == 0 ? worlds.units() : 0);
  }

  private static List<Holding> holdings(Worlds worlds) {
    List<Holding> holdings = new ArrayList<>();
    int count = worlds.random().nextInt(6);
    for (int i = 0; i < count; i++) {
      holdings.add(holding(worlds, "p" + i));
    }
    return holdings;
  }

  private static NodeLedger ledger(Worlds worlds, List<Holding> holdings) {
    return NodeLedger.of(Given.NODE, worlds.inventory(), Set.of(), holdings);
  }

  /** Sums without a limit, by which it shows when a sum of ours wrapped. */
  private static BigInteger trulyTaken(List<Holding> holdings, DeviceUuid device) {
    BigInteger taken = BigInteger.ZERO;
    for (Holding holding : holdings) {
      for (Map<DeviceUuid, Long> part :
          List.of(holding.allocated(), holding.reserved(), holding.surplus())) {
        taken = taken.add(BigInteger.valueOf(part.getOrDefault(device, 0L)));
      }
      taken = taken.add(BigInteger.valueOf(holding.unplaced()));
    }
    return taken;
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void freeIsWhatIsLeftAndNeverBelowZeroOrAboveTheUnits(long seed) {
    Worlds worlds = new Worlds(seed);
    List<Holding> holdings = holdings(worlds);
    NodeLedger ledger = ledger(worlds, holdings);
    for (Device device : ledger.inventory().devices()) {
      long free = ledger.free(device);
      assertTrue(free >= 0 && free <= device.units(), "seed " + seed + ": free " + free);
      BigInteger left =
          BigInteger.valueOf(device.units()).subtract(trulyTaken(holdings, device.uuid()));
      assertEquals(left.max(BigInteger.ZERO), BigInteger.valueOf(free), "seed " + seed);
      assertEquals(free, ledger.free(device.uuid()), "seed " + seed);
    }
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void withThenWithoutIsTheSameLedger(long seed) {
    Worlds worlds = new Worlds(seed);
    NodeLedger before = ledger(worlds, holdings(worlds));
    Holding more = holding(worlds, "one more");
    NodeLedger after = before.with(more).without(more.holder());
    assertEquals(before, after, "seed " + seed);
    assertSameNumbers(before, after, seed);
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void theOrderOfHoldingsDoesNotMatter(long seed) {
    Worlds worlds = new Worlds(seed);
    List<Holding> holdings = holdings(worlds);
    NodeLedger atOnce = ledger(worlds, holdings);
    List<Holding> shuffled = new ArrayList<>(holdings);
    Collections.shuffle(shuffled, worlds.random());
    NodeLedger oneByOne = atOnce;
    for (Holding holding : holdings) {
      oneByOne = oneByOne.without(holding.holder());
    }
    for (Holding holding : shuffled) {
      oneByOne = oneByOne.with(holding);
    }
    assertEquals(atOnce, oneByOne, "seed " + seed);
    assertEquals(atOnce.hashCode(), oneByOne.hashCode(), "seed " + seed);
    assertSameNumbers(atOnce, oneByOne, seed);
  }

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource(SEEDS)
  void aHoldingMoreNeverLeavesMoreFree(long seed) {
    Worlds worlds = new Worlds(seed);
    NodeLedger before = ledger(worlds, holdings(worlds));
    NodeLedger after = before.with(holding(worlds, "one more"));
    for (Device device : before.inventory().devices()) {
      assertTrue(after.free(device) <= before.free(device), "seed " + seed);
      assertTrue(after.used(device.uuid()) >= before.used(device.uuid()), "seed " + seed);
    }
  }

  private static void assertSameNumbers(NodeLedger one, NodeLedger other, long seed) {
    assertEquals(one.unplaced(), other.unplaced(), "seed " + seed);
    for (String letter : List.of("A", "B", "C", "D", "X")) {
      DeviceUuid device = Given.uuid(letter);
      assertEquals(one.used(device), other.used(device), "seed " + seed);
      assertEquals(one.free(device), other.free(device), "seed " + seed);
    }
  }
}
