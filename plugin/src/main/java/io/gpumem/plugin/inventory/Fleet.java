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
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The node's devices from scan to scan. A size is fixed when NVML first tells it, so that it does
 * not move with load; a bad device turns bad at once and good again only after several good scans;
 * one that vanishes stays, unhealthy, for its IDs may be held. A device that appears later and is
 * more than the kubelet bears is left out, so that those that are sold go on. Not thread-safe: the
 * GPU watch owns it.
 */
public final class Fleet {

  static final String VANISHED = "no longer listed by NVML";
  static final String UNKNOWN_SIZE = "NVML cannot tell its memory";
  static final String TOO_MANY = "its units would be more device IDs than the kubelet bears";

  /**
   * A vanished MIG device that nobody holds is forgotten after so many scans: its layout is gone.
   */
  private static final int SCANS_UNTIL_FORGOTTEN = 12;

  private final Memory unit;
  private final Sizes sizes;
  private final int goodScansToRecover;
  private final Predicate<DeviceUuid> held;
  private final Predicate<Inventory> bearable;
  private final Map<DeviceUuid, Member> members = new LinkedHashMap<>();
  private final Set<DeviceUuid> sold = new HashSet<>();
  private boolean begun;
  private List<LeftOut> leftOut = List.of();

  /**
   * A device with how many scans in a row were good, or lacked it.
   *
   * @param told whether NVML has told its size in this run. What an earlier run published may have
   *     been forged since: it serves where NVML tells nothing, and then nothing is sold of it
   */
  private record Member(Device device, int goodScans, int missedScans, boolean told) {}

  /**
   * @param held whether any ID of a device may be held by a pod
   * @param bearable whether the kubelet bears the list of these devices; it is not asked of those
   *     that the first scan sees, which are the start's own matter
   */
  public Fleet(
      Memory unit,
      Sizes sizes,
      int goodScansToRecover,
      Predicate<DeviceUuid> held,
      Predicate<Inventory> bearable) {
    this.unit = unit;
    this.sizes = sizes;
    this.goodScansToRecover = goodScansToRecover;
    this.held = held;
    this.bearable = bearable;
  }

  /** Takes devices of an earlier run that pods still hold and that NVML may list no longer. */
  public void remember(Inventory before) {
    for (Device device : before.devices()) {
      if (held.test(device.uuid()) && before.unit().equals(unit)) {
        // A restart of ours is no reason to doubt a device: seen once, it is as it was.
        int good = device.health().isHealthy() ? goodScansToRecover : 0;
        members.putIfAbsent(device.uuid(), new Member(device, good, 0, false));
      }
    }
  }

  /** Takes a scan; the devices as they are to be sold now. */
  public Inventory next(Scan.Seen scan) {
    List<LeftOut> out = new ArrayList<>(scan.leftOut());
    Set<DeviceUuid> seen = new HashSet<>();
    for (GpuFacts gpu : scan.devices()) {
      Optional<Member> known = Optional.ofNullable(members.get(gpu.uuid()));
      Optional<Member> now = known.flatMap(old -> follow(old, gpu)).or(() -> first(gpu));
      if (now.isEmpty()) {
        out.add(
            new LeftOut(
                "device " + gpu.index() + " " + gpu.model() + " " + gpu.uuid(),
                UNKNOWN_SIZE + "; set --device-memory=" + gpu.index() + "=<size> to sell it"));
      } else {
        seen.add(gpu.uuid());
        members.put(gpu.uuid(), now.get());
      }
    }
    missed(seen);
    List<Member> selling = selling(out);
    leftOut = List.copyOf(out);
    begun = true;
    return inventory(selling);
  }

  /** A device that NVML has not told of in this run; empty when its size can't be told. */
  private Optional<Member> first(GpuFacts gpu) {
    Optional<MigSlice> mig = gpu.mig().map(slice -> new MigSlice(slice.parent(), slice.profile()));
    return sizes
        .usable(gpu)
        .map(
            usable ->
                new Device(
                    gpu.uuid(),
                    gpu.index(),
                    gpu.model(),
                    mig,
                    sizes.total(gpu).orElse(usable),
                    usable,
                    usable.units(unit),
                    gpu.numa(),
                    health(gpu)))
        .map(
            device ->
                new Member(device, device.health().isHealthy() ? goodScansToRecover : 0, 0, true));
  }

  private static Health health(GpuFacts gpu) {
    return switch (gpu.condition()) {
      case Condition.Working() -> Health.HEALTHY;
      case Condition.Broken(String why) -> new Health.Unhealthy(why);
    };
  }

  /** A device that we know, as this scan shows it. */
  private Optional<Member> follow(Member old, GpuFacts gpu) {
    Optional<Member> sized = old.told() ? Optional.of(old) : first(gpu);
    if (sized.isEmpty()) {
      Health unknown = new Health.Unhealthy(UNKNOWN_SIZE);
      return Optional.of(new Member(placed(old.device(), gpu).withHealth(unknown), 0, 0, false));
    }
    Device same = placed(sized.get().device(), gpu).withHealth(old.device().health());
    if (!health(gpu).isHealthy()) {
      return Optional.of(new Member(same.withHealth(health(gpu)), 0, 0, true));
    }
    int good = Math.min(goodScansToRecover, old.goodScans() + 1);
    boolean recovered = good >= goodScansToRecover;
    return Optional.of(
        new Member(recovered ? same.withHealth(Health.HEALTHY) : same, good, 0, true));
  }

  /** The device with what may change from scan to scan, beside its health. */
  private static Device placed(Device device, GpuFacts gpu) {
    return new Device(
        device.uuid(),
        gpu.index(),
        gpu.model(),
        device.mig(),
        device.memory(),
        device.usable(),
        device.units(),
        gpu.numa(),
        device.health());
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
          sold.remove(entry.getKey());
        } else {
          Device gone = member.device().withHealth(new Health.Unhealthy(VANISHED));
          members.put(entry.getKey(), new Member(gone, 0, missed, member.told()));
        }
      }
    }
  }

  /** Those that are sold already, and of the others as many as the kubelet bears. */
  private List<Member> selling(List<LeftOut> out) {
    List<Member> selling = new ArrayList<>();
    List<Member> others = new ArrayList<>();
    for (Member member : members.values()) {
      boolean listed = sold.contains(member.device().uuid()) || (!begun && isPresent(member));
      (listed ? selling : others).add(member);
    }
    others.sort(Comparator.comparing(Fleet::isPresent).reversed());
    for (Member other : others) {
      selling.add(other);
      if (!bearable.test(inventory(selling))) {
        selling.removeLast();
        Device device = other.device();
        out.add(
            new LeftOut(
                "device " + device.index() + " " + device.model() + " " + device.uuid(), TOO_MANY));
      }
    }
    selling.forEach(member -> sold.add(member.device().uuid()));
    return selling;
  }

  private static boolean isPresent(Member member) {
    return member.missedScans() == 0;
  }

  /** The devices, each with an index of its own: one that vanished may have lost its number. */
  private Inventory inventory(List<Member> selling) {
    Set<Integer> taken = new HashSet<>();
    List<Device> devices = new ArrayList<>();
    selling.stream()
        .sorted(Comparator.comparing(Fleet::isPresent).reversed())
        .map(Member::device)
        .forEach(
            device -> {
              int index = device.index();
              while (!taken.add(index)) {
                index++;
              }
              devices.add(withIndex(device, index));
            });
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
