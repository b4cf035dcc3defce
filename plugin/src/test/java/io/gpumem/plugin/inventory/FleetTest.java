package io.gpumem.plugin.inventory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.plugin.nvml.Condition;
import io.gpumem.plugin.nvml.GpuFacts;
import io.gpumem.plugin.nvml.MigFacts;
import io.gpumem.plugin.nvml.Scan;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class FleetTest {

  private static final Memory GIB = Memory.ofGib(1);
  private static final DeviceUuid A = new DeviceUuid("GPU-a");
  private static final DeviceUuid B = new DeviceUuid("GPU-b");
  private static final Condition BROKEN = new Condition.Broken("XID 79");

  private final Set<DeviceUuid> held = new HashSet<>();
  private final Fleet fleet = new Fleet(GIB, Sizes.NONE, 3, held::contains);

  @Test
  void fixesASizeAtFirstSight() {
    scan(gpu(A, 0, 16384, Condition.WORKING));

    Device later = scan(gpu(A, 0, 8192, Condition.WORKING)).device(A).orElseThrow();

    assertEquals(16, later.units());
    assertEquals(Memory.ofGib(16), later.usable());
  }

  @Test
  void keepsTheSizeOfADeviceThatNvmlCannotTellAnyMore() {
    scan(gpu(A, 0, 16384, Condition.WORKING));

    Device later = scan(sizeless(A, 0)).device(A).orElseThrow();

    assertEquals(16, later.units());
    assertEquals(Health.HEALTHY, later.health());
    assertEquals(List.of(), fleet.leftOut());
  }

  @Test
  void turnsBadAtOnceAndGoodAfterThreeGoodScans() {
    scan(gpu(A, 0, 16384, Condition.WORKING));

    assertEquals(new Health.Unhealthy("XID 79"), health(scan(gpu(A, 0, 16384, BROKEN)), A));
    assertEquals(new Health.Unhealthy("XID 79"), health(scan(good()), A));
    assertEquals(new Health.Unhealthy("XID 79"), health(scan(good()), A));
    assertEquals(Health.HEALTHY, health(scan(good()), A));
  }

  @Test
  void countsGoodScansAnewAfterABadOne() {
    scan(gpu(A, 0, 16384, BROKEN));
    scan(good());
    scan(good());
    scan(gpu(A, 0, 16384, BROKEN));

    assertEquals(new Health.Unhealthy("XID 79"), health(scan(good()), A));
  }

  @Test
  void makesADeviceThatWasBadAtFirstSightProveItself() {
    scan(gpu(A, 0, 16384, BROKEN));

    assertEquals(new Health.Unhealthy("XID 79"), health(scan(good()), A));
    assertEquals(new Health.Unhealthy("XID 79"), health(scan(good()), A));
    assertEquals(Health.HEALTHY, health(scan(good()), A));
  }

  @Test
  void keepsADeviceThatVanishedAndSaysSo() {
    scan(good(), gpu(B, 1, 8192, Condition.WORKING));

    Inventory later = scan(good());

    assertEquals(new Health.Unhealthy(Fleet.VANISHED), health(later, B));
    assertEquals(8, later.device(B).orElseThrow().units());
    assertEquals(Health.HEALTHY, health(later, A));
  }

  @Test
  void givesAVanishedDeviceAnIndexOfItsOwn() {
    scan(good(), gpu(B, 1, 8192, Condition.WORKING));

    Inventory later = scan(gpu(B, 0, 8192, Condition.WORKING));

    assertEquals(0, later.device(B).orElseThrow().index());
    assertEquals(1, later.device(A).orElseThrow().index());
  }

  @Test
  void forgetsAVanishedMigDeviceThatNobodyHolds() {
    scan(good(), mig(B, 1));
    held.add(B);
    for (int i = 0; i < 20; i++) {
      assertTrue(scan(good()).has(B), "held, so it stays");
    }
    held.clear();

    assertEquals(List.of(A), scan(good()).devices().stream().map(Device::uuid).toList());
  }

  @Test
  void sellsADeviceOfUnknownSizeByTheAdminsWordOnly() {
    assertEquals(List.of(), scan(sizeless(A, 1)).devices());
    assertEquals(1, fleet.leftOut().size());
    assertTrue(fleet.leftOut().getFirst().what().contains(A.text()));
    assertTrue(fleet.leftOut().getFirst().why().contains("--device-memory=1=<size>"));

    Fleet told = new Fleet(GIB, Sizes.of(List.of("1=120Gi")), 3, held::contains);
    assertEquals(120, told.next(seen(sizeless(A, 1))).units());
  }

  @Test
  void remembersAHeldDeviceOfAnEarlierRunThatIsNoLongerListed() {
    Inventory before = scan(good(), gpu(B, 1, 8192, Condition.WORKING));
    held.add(B);
    Fleet next = new Fleet(GIB, Sizes.NONE, 3, held::contains);
    next.remember(before);

    Inventory now = next.next(seen(good()));

    assertEquals(new Health.Unhealthy(Fleet.VANISHED), health(now, B));
    assertEquals(24, now.units());
  }

  @Test
  void doesNotDoubtAHeldDeviceOnlyBecauseThePluginWasRestarted() {
    Inventory before = scan(good());
    held.add(A);
    Fleet next = new Fleet(GIB, Sizes.NONE, 3, held::contains);
    next.remember(before);

    assertEquals(Health.HEALTHY, health(next.next(seen(good())), A));
  }

  @Test
  void goesOnDoubtingABadDeviceAfterARestart() {
    Inventory before = scan(gpu(A, 0, 16384, BROKEN));
    held.add(A);
    Fleet next = new Fleet(GIB, Sizes.NONE, 3, held::contains);
    next.remember(before);

    assertEquals(new Health.Unhealthy("XID 79"), health(next.next(seen(good())), A));
  }

  private Inventory scan(GpuFacts... gpus) {
    return fleet.next(seen(gpus));
  }

  private static Scan.Seen seen(GpuFacts... gpus) {
    return new Scan.Seen(List.of(gpus), List.of(), "580");
  }

  private static GpuFacts good() {
    return gpu(A, 0, 16384, Condition.WORKING);
  }

  private static GpuFacts gpu(DeviceUuid uuid, int index, int mib, Condition condition) {
    return facts(uuid, index, Optional.of(Memory.ofMib(mib)), Optional.empty(), condition);
  }

  private static GpuFacts sizeless(DeviceUuid uuid, int index) {
    return facts(uuid, index, Optional.empty(), Optional.empty(), Condition.WORKING);
  }

  private static GpuFacts mig(DeviceUuid uuid, int index) {
    MigFacts slice = new MigFacts(new DeviceUuid("GPU-p"), "1g.18gb", 7, 0, List.of());
    return facts(
        uuid, index, Optional.of(Memory.ofMib(8192)), Optional.of(slice), Condition.WORKING);
  }

  private static GpuFacts facts(
      DeviceUuid uuid,
      int index,
      Optional<Memory> total,
      Optional<MigFacts> mig,
      Condition condition) {
    Memory none = Memory.ofMib(0);
    return new GpuFacts(
        uuid, index, index, "Card", total, none, none, OptionalInt.empty(), mig, condition);
  }

  private static Health health(Inventory inventory, DeviceUuid device) {
    return inventory.device(device).orElseThrow().health();
  }
}
