package io.gpumem.plugin.nvml.fake;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.plugin.nvml.Condition;
import io.gpumem.plugin.nvml.GpuFacts;
import io.gpumem.plugin.nvml.Mebibytes;
import io.gpumem.plugin.nvml.MigFacts;
import io.gpumem.plugin.nvml.Sight;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A simulated machine as its file describes it at one moment.
 *
 * @param gpus in the order of the PCI bus, which is the driver's
 */
public record Machine(Driver driver, boolean hangs, List<SimulatedGpu> gpus) {

  /** What the driver does when it is asked to start. */
  public enum Driver {
    LOADED,
    NOT_LOADED,
    MISMATCH
  }

  /** What the simulated driver calls its version, so that nobody takes it for a real one. */
  public static final String DRIVER_VERSION = "simulated";

  public Machine {
    gpus = gpus.stream().sorted(Comparator.comparing(SimulatedGpu::bus)).toList();
    Set<Object> names = new HashSet<>();
    for (SimulatedGpu gpu : gpus) {
      refuseSecond(names, gpu.uuid());
      refuseSecond(names, gpu.bus());
      refuseSecond(names, "minor " + gpu.minor());
      for (SimulatedMigDevice device : gpu.mig().orElse(List.of())) {
        refuseSecond(names, device.uuid());
        refuseSecond(names, "slot " + device.slot() + " of " + gpu.uuid());
      }
    }
  }

  private static void refuseSecond(Set<Object> names, Object name) {
    if (!names.add(name)) {
      throw new IllegalArgumentException("expected each device once but was twice: " + name);
    }
  }

  /** What the driver would show of it now. */
  List<Sight> sights() {
    List<SimulatedGpu> listed =
        gpus.stream().filter(gpu -> !(gpu.health() instanceof Health.Removed)).toList();
    List<Sight> sights = new ArrayList<>();
    for (int index = 0; index < listed.size(); index++) {
      SimulatedGpu gpu = listed.get(index);
      if (gpu.health() instanceof Health.Lost(var why)) {
        sights.add(new Sight.Unreadable(index, Optional.empty(), why));
      } else {
        sights.add(
            new Sight.Opened(gpu.uuid(), Optional.of(gpu.bus()), devices(gpu), Optional.empty()));
      }
    }
    return sights;
  }

  private static List<GpuFacts> devices(SimulatedGpu gpu) {
    if (gpu.mig().isEmpty()) {
      return List.of(
          facts(gpu, gpu.uuid(), gpu.memory(), Optional.empty(), condition(gpu.health())));
    }
    return gpu.mig().get().stream()
        .filter(device -> !(device.health() instanceof Health.Removed))
        .map(device -> migDevice(gpu, device))
        .toList();
  }

  private static GpuFacts migDevice(SimulatedGpu gpu, SimulatedMigDevice device) {
    MigFacts mig =
        new MigFacts(
            gpu.uuid(),
            device.profile(),
            device.gpuInstance(),
            device.computeInstance(),
            capMinors(gpu, device));
    Condition own = condition(device.health());
    Condition worse = own instanceof Condition.Working ? condition(gpu.health()) : own;
    return facts(gpu, device.uuid(), device.memory(), Optional.of(mig), worse);
  }

  /**
   * The GPU instance's and the compute instance's capability node, numbered as drivers do today: 9
   * minors for each of 15 GPU instances of each GPU, from 3 on.
   */
  static List<Integer> capMinors(SimulatedGpu gpu, SimulatedMigDevice device) {
    int instance = 3 + 135 * gpu.minor() + 9 * device.gpuInstance();
    return List.of(instance, instance + 1 + device.computeInstance());
  }

  private static GpuFacts facts(
      SimulatedGpu gpu,
      DeviceUuid uuid,
      SimulatedMemory memory,
      Optional<MigFacts> mig,
      Condition condition) {
    boolean told = memory.total().isPresent();
    return new GpuFacts(
        uuid,
        0,
        gpu.minor(),
        gpu.model(),
        told ? Optional.of(Memory.ofBytes(memory.total().getAsLong())) : Optional.empty(),
        told ? Mebibytes.roundedUp(memory.reserved()) : Memory.ZERO,
        told ? Mebibytes.roundedUp(memory.used()) : Memory.ZERO,
        gpu.numa(),
        mig,
        condition);
  }

  private static Condition condition(Health health) {
    return switch (health) {
      case Health.Broken(var why) -> new Condition.Broken(why);
      case Health.Working _, Health.Lost _, Health.Removed _ -> Condition.WORKING;
    };
  }
}
