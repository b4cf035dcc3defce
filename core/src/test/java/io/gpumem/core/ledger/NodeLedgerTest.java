package io.gpumem.core.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import io.gpumem.core.world.Given;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeLedgerTest {

  private static final DeviceUuid A = Given.uuid("A");
  private static final DeviceUuid B = Given.uuid("B");

  private static NodeLedger ledger(Inventory inventory, Holding... holdings) {
    return NodeLedger.of(Given.NODE, inventory, Set.of(), List.of(holdings));
  }

  private static Holding holding(String pod, Map<DeviceUuid, Long> allocated, long unplaced) {
    return new Holding(
        Optional.of(Given.uid(pod)),
        new PodName("team-a", pod),
        allocated,
        Map.of(),
        Map.of(),
        unplaced);
  }

  @Test
  void sumsAllKindsOfHoldings() {
    Holding all =
        new Holding(
            Optional.of(Given.uid("p")),
            new PodName("team-a", "p"),
            Given.on("A", 1),
            Given.on("A", 2, "B", 1),
            Given.on("A", 3),
            4);
    NodeLedger ledger = ledger(Given.gpus(16, 16), all);
    assertEquals(6, ledger.used(A));
    assertEquals(1, ledger.used(B));
    assertEquals(4, ledger.unplaced());
    assertEquals(6, ledger.free(A));
    assertEquals(11, ledger.free(B));
    assertEquals(Given.on("A", 6, "B", 1), all.devices());
  }

  @Test
  void aHolderHoldsOnce() {
    NodeLedger ledger =
        ledger(
            Given.gpus(16, 16),
            holding("p", Given.on("A", 8), 0),
            holding("p", Given.on("B", 4), 0));
    assertEquals(0, ledger.used(A));
    assertEquals(4, ledger.used(B));
    assertEquals(6, ledger.with(holding("p", Given.on("A", 6), 0)).used(A));
  }

  @Test
  void aPodAndAnUnknownHolderOfItsNameAreTwo() {
    Holding known = holding("p", Given.on("A", 8), 0);
    Holding unknown =
        new Holding(Optional.empty(), known.name(), Given.on("A", 2), Map.of(), Map.of(), 0);
    assertEquals(10, ledger(Given.gpus(16), known, unknown).used(A));
  }

  @Test
  void whatIsTakenAwayIsFreeAgain() {
    NodeLedger before = ledger(Given.gpus(16), holding("p", Given.on("A", 8), 0));
    Holding more = holding("q", Given.on("A", 4), 2);
    NodeLedger during = before.with(more);
    assertEquals(2, during.free(A));
    assertNotEquals(before, during);
    assertEquals(before, during.without(more.holder()));
    assertEquals(before, before.without("uid:nobody"));
  }

  @Test
  void overUseNeitherWrapsNorGoesBelowZero() {
    NodeLedger ledger =
        ledger(
            Given.gpus(16, 16),
            holding("p", Given.on("A", Long.MAX_VALUE), Long.MAX_VALUE),
            holding("q", Given.on("A", Long.MAX_VALUE), Long.MAX_VALUE));
    assertEquals(Long.MAX_VALUE, ledger.used(A));
    assertEquals(Long.MAX_VALUE, ledger.unplaced());
    assertEquals(0, ledger.free(A));
    assertEquals(0, ledger.free(B));
    assertEquals(16, ledger.without("uid:uid-p").without("uid:uid-q").free(A));
  }

  @Test
  void aDeviceOfAnotherNodeHasNothingFree() {
    assertEquals(0, ledger(Given.gpus(16)).free(Given.uuid("X")));
    assertEquals(0, ledger(Given.gpus(16)).used(Given.uuid("X")));
  }

  @Test
  void badAndCordonedDevicesAreNotOpen() {
    Device bad = Given.gpu("B", 1, 16).withHealth(new Health.Unhealthy("XID 79"));
    Inventory inventory = Given.inventory(Given.gpu("A", 0, 16), bad, Given.gpu("C", 2, 16));
    NodeLedger ledger = NodeLedger.of(Given.NODE, inventory, Set.of(Given.uuid("C")), List.of());
    assertTrue(ledger.isOpen(inventory.devices().get(0)));
    assertFalse(ledger.isOpen(inventory.devices().get(1)));
    assertFalse(ledger.isOpen(inventory.devices().get(2)));
    assertTrue(ledger.isCordoned(Given.uuid("C")));
  }

  @Test
  void refusesNegativeUnits() {
    assertThrows(IllegalArgumentException.class, () -> holding("p", Map.of(), -1));
    assertThrows(IllegalArgumentException.class, () -> holding("p", Given.on("A", -1), 0));
  }
}
