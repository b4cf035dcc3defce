package io.gpumem.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.ledger.NodeBooks;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.core.units.NodeName;
import io.gpumem.platform.metrics.Metrics;
import io.gpumem.plugin.allocate.NodeState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PluginMetricsTest {

  private final Metrics metrics = new Metrics();
  private final PluginMetrics counts = new PluginMetrics(metrics);

  @Test
  void tellsNothingMoreOfADeviceThatIsForgotten() {
    counts.books(view("GPU-a", "MIG-b"));
    assertEquals(6, samples("gpumem_device_"));

    counts.books(view("GPU-a"));

    assertEquals(3, samples("gpumem_device_"));
    assertEquals(3, samples("device=\"GPU-a\""));
  }

  private long samples(String part) {
    return metrics
        .exposition()
        .text()
        .lines()
        .filter(line -> !line.startsWith("#") && line.contains(part))
        .count();
  }

  private static NodeState.View view(String... uuids) {
    List<Device> devices = new ArrayList<>();
    Memory memory = Memory.ofGib(16);
    for (String uuid : uuids) {
      devices.add(
          new Device(
              new DeviceUuid(uuid),
              devices.size(),
              "Card",
              Optional.empty(),
              memory,
              memory,
              16,
              OptionalInt.empty(),
              Health.HEALTHY));
    }
    NodeFacts facts =
        new NodeFacts(
            new NodeName("n1"),
            new Inventory(Memory.ofGib(1), devices),
            Set.of(),
            Allocations.NONE,
            true);
    NodeBooks books = NodeBooks.of(facts, List.of());
    return new NodeState.View(facts, books, books);
  }
}
