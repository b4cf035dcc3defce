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
  private final Fleet fleet = fresh(Sizes.NONE);

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

    Fleet told = fresh(Sizes.of(List.of("1=120Gi")));
    assertEquals(120, told.next(seen(sizeless(A, 1))).units());
  }

  @Test
  void remembersAHeldDeviceOfAnEarlierRunThatIsNoLongerListed() {
    Inventory before = scan(good(), gpu(B, 1, 8192, Condition.WORKING));
    held.add(B);
    Fleet next = fresh(Sizes.NONE);
    next.remember(before);

    Inventory now = next.next(seen(good()));

    assertEquals(new Health.Unhealthy(Fleet.VANISHED), health(now, B));
    assertEquals(24, now.units());
  }

  @Test
  void doesNotDoubtAHeldDeviceOnlyBecauseThePluginWasRestarted() {
    Inventory before = scan(good());
    held.add(A);
    Fleet next = fresh(Sizes.NONE);
    next.remember(before);

    assertEquals(Health.HEALTHY, health(next.next(seen(good())), A));
  }

  @Test
  void goesOnDoubtingABadDeviceAfterARestart() {
    Inventory before = scan(gpu(A, 0, 16384, BROKEN));
    held.add(A);
    Fleet next = fresh(Sizes.NONE);
    next.remember(before);

    assertEquals(new Health.Unhealthy("XID 79"), health(next.next(seen(good())), A));
  }

  @Test
  void sellsWhatNvmlTellsOfADeviceThatAForgedInventoryCallsLarger() {
    Fleet next = fresh(Sizes.NONE);
    held.add(A);
    next.remember(new Inventory(GIB, List.of(forged(A, 0, 4_000))));

    Device now = next.next(seen(good())).device(A).orElseThrow();

    assertEquals(16, now.units());
    assertEquals(Memory.ofGib(16), now.usable());
    assertEquals(Memory.ofGib(16), now.memory());
    assertEquals(Health.HEALTHY, now.health());
  }

  @Test
  void sellsNothingNewOfADeviceThatOnlyAnEarlierRunCouldSize() {
    Fleet next = fresh(Sizes.NONE);
    held.add(A);
    next.remember(new Inventory(GIB, List.of(forged(A, 0, 16))));

    Inventory now = next.next(seen(sizeless(A, 0)));

    assertEquals(new Health.Unhealthy(Fleet.UNKNOWN_SIZE), health(now, A));
    assertEquals(16, now.units());
    next.next(seen(good()));
    next.next(seen(good()));
    assertEquals(Health.HEALTHY, health(next.next(seen(good())), A));
  }

  @Test
  void leavesOutADeviceThatAppearsLaterAndIsMoreThanTheKubeletBears() {
    DeviceUuid c = new DeviceUuid("GPU-c");
    scan(good());

    Inventory now = scan(good(), gpu(B, 1, 90 << 10, Condition.WORKING), small(c, 2));

    assertEquals(List.of(A, c), uuids(now));
    assertEquals(Fleet.TOO_MANY, fleet.leftOut().getFirst().why());
    assertTrue(fleet.leftOut().getFirst().what().contains(B.text()));
    assertEquals(List.of(A, c), uuids(scan(good(), small(c, 2))), "what is sold stays");
  }

  @Test
  void leavesOutAHeldDeviceOfAnEarlierRunThatAForgedInventoryMakesTooLarge() {
    held.add(B);
    fleet.remember(new Inventory(GIB, List.of(forged(B, 1, 1L << 32))));

    assertEquals(List.of(A), uuids(scan(good())));
  }

  @Test
  void leavesItToTheStartToRefuseWhatTheFirstScanSees() {
    assertEquals(200, scan(gpu(A, 0, 200 << 10, Condition.WORKING)).units());
  }

  private static List<DeviceUuid> uuids(Inventory inventory) {
    return inventory.devices().stream().map(Device::uuid).toList();
  }

  private static GpuFacts small(DeviceUuid uuid, int index) {
    return gpu(uuid, index, 4096, Condition.WORKING);
  }

  private static Device forged(DeviceUuid uuid, int index, long units) {
    return new Device(
        uuid,
        index,
        "Card",
        Optional.empty(),
        Memory.ofGib(units),
        Memory.ofGib(units),
        units,
        OptionalInt.empty(),
        Health.HEALTHY);
  }

  /** With a kubelet that bears a hundred IDs. */
  private Fleet fresh(Sizes sizes) {
    return new Fleet(GIB, sizes, 3, held::contains, inventory -> inventory.units() <= 100);
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
