package io.gpumem.core.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.world.Given;
import io.gpumem.core.world.Seeds;
import io.gpumem.core.world.World;
import io.gpumem.core.world.Worlds;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The books against the same books worked out the long way. */
class LedgerModelProperties {

  @ParameterizedTest(name = Seeds.NAME)
  @MethodSource("io.gpumem.core.world.Seeds#many")
  void booksAreThoseOfTheNaiveModel(long seed) {
    Worlds worlds = new Worlds(seed);
    for (int i = 0; i < 10; i++) {
      World world = worlds.world();
      assertEquals(
          numbers(world, new NaiveBooks(world)),
          numbers(world, world.books().ledger()),
          () -> "seed " + seed + ": " + world);
    }
  }

  private static List<DeviceUuid> devices(World world) {
    List<DeviceUuid> devices = new ArrayList<>(List.of(Given.uuid("X")));
    world.node().inventory().devices().forEach(device -> devices.add(device.uuid()));
    return devices;
  }

  private static String numbers(World world, NodeLedger ledger) {
    StringBuilder numbers = new StringBuilder("unplaced ").append(ledger.unplaced());
    for (DeviceUuid device : devices(world)) {
      numbers.append(", ").append(device).append(" used ").append(ledger.used(device));
    }
    for (Device device : world.node().inventory().devices()) {
      numbers.append(", ").append(device.uuid()).append(" free ").append(ledger.free(device));
    }
    return numbers.toString();
  }

  private static String numbers(World world, NaiveBooks books) {
    StringBuilder numbers = new StringBuilder("unplaced ").append(books.unplaced());
    for (DeviceUuid device : devices(world)) {
      numbers.append(", ").append(device).append(" used ").append(books.used(device));
    }
    for (Device device : world.node().inventory().devices()) {
      numbers.append(", ").append(device.uuid()).append(" free ").append(books.free(device));
    }
    return numbers.toString();
  }

  /** The laws say little if the worlds are dull. */
  @Test
  void theWorldsAreRich() {
    int moved = 0;
    int free = 0;
    int over = 0;
    int unplaced = 0;
    int surplus = 0;
    for (long seed = 1; seed <= 300; seed++) {
      World world = new Worlds(seed).world();
      NodeBooks books = world.books();
      for (Outstanding each : books.outstanding()) {
        boolean asPlanned =
            world.pods().stream()
                .filter(pod -> pod.uid().equals(each.pod()))
                .flatMap(pod -> pod.reservation().understood().stream())
                .anyMatch(plan -> each.devices().equals(plan.containers().get(each.container())));
        moved += asPlanned ? 0 : 1;
      }
      for (Device device : world.node().inventory().devices()) {
        free += books.ledger().free(device) > 0 ? 1 : 0;
        over += books.ledger().used(device.uuid()) > device.units() ? 1 : 0;
      }
      unplaced += books.ledger().unplaced() > 0 ? 1 : 0;
      surplus +=
          books.ledger().holdings().stream().anyMatch(each -> !each.surplus().isEmpty()) ? 1 : 0;
    }
    for (int count : List.of(moved, free, over, unplaced, surplus)) {
      assertTrue(
          count > 20, List.of(moved, free, over, unplaced, surplus) + " of each thing to see");
    }
  }
}
