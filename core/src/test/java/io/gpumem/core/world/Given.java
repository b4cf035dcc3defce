package io.gpumem.core.world;

import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Short spellings of the values that most examples need: devices A, B, C of node n1. */
public final class Given {

  public static final NodeName NODE = new NodeName("n1");
  public static final String MODEL = "NVIDIA H200";

  private Given() {}

  public static DeviceUuid uuid(String letter) {
    return new DeviceUuid("GPU-" + letter);
  }

  public static PodUid uid(String pod) {
    return new PodUid("uid-" + pod);
  }

  /** A healthy whole GPU. */
  public static Device gpu(String letter, int index, long units) {
    return gpu(letter, index, units, MODEL, Health.HEALTHY);
  }

  /** A whole GPU with units of 1 GiB. */
  public static Device gpu(String letter, int index, long units, String model, Health health) {
    Memory memory = Memory.ofGib(units);
    return new Device(
        uuid(letter),
        index,
        model,
        Optional.empty(),
        memory,
        memory,
        units,
        OptionalInt.empty(),
        health);
  }

  public static Inventory inventory(Device... devices) {
    return new Inventory(Memory.ofGib(1), List.of(devices));
  }

  /** Healthy GPUs A, B, C and so on with these units. */
  public static Inventory gpus(long... units) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < units.length; i++) {
      devices.add(gpu(String.valueOf((char) ('A' + i)), i, units[i]));
    }
    return new Inventory(Memory.ofGib(1), devices);
  }

  public static Map<DeviceUuid, Long> on(String letter, long units) {
    return Map.of(uuid(letter), units);
  }

  public static Map<DeviceUuid, Long> on(String one, long here, String other, long there) {
    return Map.of(uuid(one), here, uuid(other), there);
  }
}
