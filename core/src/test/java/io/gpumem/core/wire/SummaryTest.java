package io.gpumem.core.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.inventory.Health;
import io.gpumem.core.world.Given;
import io.gpumem.core.world.NodeSketch;
import io.gpumem.core.world.PodSketch;
import org.junit.jupiter.api.Test;

class SummaryTest {

  @Test
  void saysUsedOfUnitsPerDevice() {
    var books = NodeSketch.of(139, 139).books(PodSketch.pod("p").app("main", 84).reserved("A"));
    assertEquals(
        "GPU0 NVIDIA H200 84/139 used · GPU1 NVIDIA H200 0/139 used", Summary.of(books.ledger()));
  }

  @Test
  void saysThatThereIsNoGpu() {
    assertEquals("no GPU", Summary.of(NodeSketch.of().books().ledger()));
  }

  @Test
  void saysWhyADeviceIsBad() {
    var bad = Given.gpu("A", 0, 16).withHealth(new Health.Unhealthy("XID 79"));
    assertEquals(
        "GPU0 NVIDIA H200 0/16 used (unhealthy: XID 79)",
        Summary.of(NodeSketch.of(Given.inventory(bad)).books().ledger()));
  }

  @Test
  void showsOverUseAsItIs() {
    var books = NodeSketch.of(16).unknown("a", Given.on("A", 20)).books();
    assertTrue(Summary.of(books.ledger()).endsWith("20/16 used"));
  }
}
