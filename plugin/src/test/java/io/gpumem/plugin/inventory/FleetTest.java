package io.gpumem.plugin.inventory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.plugin.nvml.Condition;
import io.gpumem.plugin.nvml.GpuFacts;
import io.gpumem.plugin.nvml.Scan;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** What a restart makes of the devices that an earlier run published. */
final class FleetTest {

  private static final int GOOD_SCANS = 3;
  private static final DeviceUuid GPU = new DeviceUuid("GPU-00000000-0000-4000-8000-000000000001");

  @Test
  void takesHeldDeviceThatWasGoodForGoodAtTheFirstScan() {
    Fleet next = restarted(published(new Condition.Working()));

    assertEquals(Health.HEALTHY, health(next.next(seen(new Condition.Working()))));
  }

  @Test
  void letsHeldDeviceThatWasBadRecoverAsSlowlyAsEver() {
    Fleet next = restarted(published(new Condition.Broken("XID 79")));

    for (int scan = 1; scan < GOOD_SCANS; scan++) {
      Health early = health(next.next(seen(new Condition.Working())));
      assertEquals(new Health.Unhealthy(Fleet.VANISHED), early, "scan " + scan);
    }
    assertEquals(Health.HEALTHY, health(next.next(seen(new Condition.Working()))));
  }

  @Test
  void keepsHeldDeviceThatVanishedOverTheRestart() {
    Fleet next = restarted(published(new Condition.Working()));

    Inventory inventory = next.next(new Scan.Seen(List.of(), List.of(), "580"));

    assertEquals(new Health.Unhealthy(Fleet.VANISHED), health(inventory));
  }

  private static Inventory published(Condition condition) {
    return fleet().next(seen(condition));
  }

  private static Fleet restarted(Inventory before) {
    Fleet fleet = fleet();
    fleet.remember(before);
    return fleet;
  }

  private static Fleet fleet() {
    return new Fleet(Memory.ofGib(1), Sizes.NONE, GOOD_SCANS, GPU::equals);
  }

  private static Health health(Inventory inventory) {
    return inventory.device(GPU).orElseThrow().health();
  }

  private static Scan.Seen seen(Condition condition) {
    GpuFacts gpu =
        new GpuFacts(
            GPU,
            0,
            0,
            "Simulated 16 GiB",
            Optional.of(Memory.ofGib(16)),
            Memory.ofGib(0),
            Memory.ofGib(0),
            OptionalInt.empty(),
            Optional.empty(),
            condition);
    return new Scan.Seen(List.of(gpu), List.of(), "580");
  }
}
