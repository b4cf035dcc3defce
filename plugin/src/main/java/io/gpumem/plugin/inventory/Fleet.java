package io.gpumem.plugin.inventory;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.inventory.MigSlice;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.plugin.nvml.Condition;
import io.gpumem.plugin.nvml.GpuFacts;
import io.gpumem.plugin.nvml.LeftOut;
import io.gpumem.plugin.nvml.Scan;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The node's devices from scan to scan. A size is fixed when a device is first seen, so that it
 * does not move with load; a bad device turns bad at once and good again only after several good
 * scans; one that vanishes stays, unhealthy, for its IDs may be held. Not thread-safe: the GPU
 * watch owns it.
 */
public final class Fleet {

  static final String VANISHED = "no longer listed by NVML";

  /**
   * A vanished MIG device that nobody holds is forgotten after so many scans: its layout is gone.
   */
  private static final int SCANS_UNTIL_FORGOTTEN = 12;

  private final Memory unit;
  private final Sizes sizes;
  private final int goodScansToRecover;
  private final Predicate<DeviceUuid> held;
  private final Map<DeviceUuid, Member> members = new LinkedHashMap<>();
  private List<LeftOut> leftOut = List.of();

  /**
   * A device with how many scans in a row were good, or lacked it.
   *
   * @param sized whether NVML told its size; an annotation is no such witness, anybody can write it
   */
  private record Member(Device device, boolean sized, int goodScans, int missedScans) {}

  /**
   * @param held whether any ID of a device may be held by a pod
   */
  public Fleet(Memory unit, Sizes sizes, int goodScansToRecover, Predicate<DeviceUuid> held) {
    this.unit = unit;
    this.sizes = sizes;
    this.goodScansToRecover = goodScansToRecover;
    this.held = held;
  }

  /** Takes devices of an earlier run that pods still hold and that NVML may list no longer. */
  public void remember(Inventory before) {
    for (Device device : before.devices()) {
      if (held.test(device.uuid()) && before.unit().equals(unit)) {
        // A restart of ours is no reason to doubt a device: seen once, it is as it was.
        int good = device.health().isHealthy() ? goodScansToRecover : 0;
        members.put(device.uuid(), new Member(device, false, good, 0));
      }
    }
  }

  /** Takes a scan; the devices as they are to be sold now. */
  public Inventory next(Scan.Seen scan) {
    List<LeftOut> out = new ArrayList<>(scan.leftOut());
    Set<DeviceUuid> seen = new HashSet<>();
    for (GpuFacts gpu : scan.devices()) {
      Optional<Memory> usable =
          Optional.ofNullable(members.get(gpu.uuid()))
              .filter(Member::sized)
              .map(known -> known.device().usable())
              .or(() -> sizes.usable(gpu));
      if (usable.isEmpty()) {
        out.add(
            new LeftOut(
                "device " + gpu.index() + " " + gpu.model() + " " + gpu.uuid(),
                "NVML cannot tell its memory; set --device-memory="
                    + gpu.index()
                    + "=<size> to sell it"));
      } else {
        seen.add(gpu.uuid());
        members.merge(gpu.uuid(), first(gpu, usable.get()), (old, now) -> follow(old, now, gpu));
      }
    }
    missed(seen);
    leftOut = List.copyOf(out);
    return inventory();
  }

  private Member first(GpuFacts gpu, Memory usable) {
    Optional<MigSlice> mig = gpu.mig().map(slice -> new MigSlice(slice.parent(), slice.profile()));
    Device device =
        new Device(
            gpu.uuid(),
            gpu.index(),
            gpu.model(),
            mig,
            sizes.total(gpu).orElse(usable),
            usable,
            usable.units(unit),
            gpu.numa(),
            health(gpu));
    return new Member(device, true, device.health().isHealthy() ? goodScansToRecover : 0, 0);
  }

  private static Health health(GpuFacts gpu) {
    return switch (gpu.condition()) {
      case Condition.Working() -> Health.HEALTHY;
      case Condition.Broken(String why) -> new Health.Unhealthy(why);
    };
  }

  private Member follow(Member old, Member now, GpuFacts gpu) {
    Device size = (old.sized() ? old : now).device();
    Device same =
        new Device(
            gpu.uuid(),
            gpu.index(),
            gpu.model(),
            size.mig(),
            size.memory(),
            size.usable(),
            size.units(),
            gpu.numa(),
            old.device().health());
    if (!now.device().health().isHealthy()) {
      return new Member(same.withHealth(now.device().health()), true, 0, 0);
    }
    int good = Math.min(goodScansToRecover, old.goodScans() + 1);
    boolean recovered = good >= goodScansToRecover;
    return new Member(recovered ? same.withHealth(Health.HEALTHY) : same, true, good, 0);
  }

  private void missed(Set<DeviceUuid> seen) {
    for (Map.Entry<DeviceUuid, Member> entry : List.copyOf(members.entrySet())) {
      if (!seen.contains(entry.getKey())) {
        Member member = entry.getValue();
        int missed = member.missedScans() + 1;
        boolean forget =
            member.device().mig().isPresent()
                && missed > SCANS_UNTIL_FORGOTTEN
                && !held.test(entry.getKey());
        if (forget) {
          members.remove(entry.getKey());
        } else {
          Device gone = member.device().withHealth(new Health.Unhealthy(VANISHED));
          members.put(entry.getKey(), new Member(gone, member.sized(), 0, missed));
        }
      }
    }
  }

  /** The devices, each with an index of its own: one that vanished may have lost its number. */
  private Inventory inventory() {
    Set<Integer> taken = new HashSet<>();
    List<Device> devices = new ArrayList<>();
    members.values().stream()
        .filter(member -> member.missedScans() == 0)
        .forEach(
            member -> {
              taken.add(member.device().index());
              devices.add(member.device());
            });
    for (Member member : members.values()) {
      if (member.missedScans() > 0) {
        int index = member.device().index();
        while (!taken.add(index)) {
          index++;
        }
        devices.add(withIndex(member.device(), index));
      }
    }
    return new Inventory(unit, devices);
  }

  private static Device withIndex(Device device, int index) {
    return new Device(
        device.uuid(),
        index,
        device.model(),
        device.mig(),
        device.memory(),
        device.usable(),
        device.units(),
        device.numa(),
        device.health());
  }

  /** What the machine has and is not sold, and why. */
  public List<LeftOut> leftOut() {
    return leftOut;
  }
}
