package io.gpumem.demo.hardware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ChecksTest {

  private final Checks checks = new Checks();

  @Test
  void nothingCheckedHasNotHeld() {
    assertFalse(checks.allHeld());
  }

  @Test
  void oneFailureSpoilsAll() {
    checks.equal("units", 139, 139);
    assertTrue(checks.allHeld());
    checks.add("healthy", false, "XID 79");
    checks.equal("devices", List.of(), List.of());
    assertFalse(checks.allHeld());
  }

  @Test
  void tableShowsWhatWasWantedWhereItWasNotSeen() {
    checks.equal("units", 139, 139);
    checks.equal("nodes", 1, 2);
    assertEquals(
        List.of(
            "| claim | | seen |",
            "|---|---|---|",
            "| units | held | 139 |",
            "| nodes | **FAILED** | 2, wanted 1 |"),
        checks.table());
  }
}
