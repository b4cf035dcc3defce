package io.gpumem.plugin.allocate;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Demand;
import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/** Nodes, pods and device IDs for tests of the allocation calls. */
final class Known {

  static final NodeName NODE = new NodeName("n1");
  static final DeviceUuid A = new DeviceUuid("GPU-a");
  static final DeviceUuid B = new DeviceUuid("GPU-b");
  static final DeviceUuid C = new DeviceUuid("GPU-c");

  private Known() {}

  /** Healthy devices of so many units, in the order of GPU-a, GPU-b, GPU-c. */
  static Inventory inventory(long... units) {
    List<DeviceUuid> uuids = List.of(A, B, C);
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < units.length; i++) {
      devices.add(device(uuids.get(i), i, units[i]));
    }
    return new Inventory(Memory.ofGib(1), devices);
  }

  static Device device(DeviceUuid uuid, int index, long units) {
    Memory memory = Memory.ofGib(Math.toIntExact(units));
    return new Device(
        uuid,
        index,
        "Card",
        Optional.empty(),
        memory,
        memory,
        units,
        OptionalInt.empty(),
        Health.HEALTHY);
  }

  /** IDs of a device from one number to before another. */
  static List<String> ids(DeviceUuid device, int from, int to) {
    List<String> ids = new ArrayList<>();
    for (int n = from; n < to; n++) {
      ids.add(new DeviceId(device, n).toString());
    }
    return ids;
  }

  static UnitSet parsed(List<String> ids) {
    ids.forEach(id -> DeviceId.parse(id).orElseThrow());
    return UnitSet.parsed(ids);
  }

  static PodName name(String name) {
    return new PodName("team-a", name);
  }

  /** A pod of one container {@code main}, reserved on a device. */
  static PodFacts pod(String name, long units, DeviceUuid reserved) {
    return pod(
        name,
        List.of(new ContainerDemand("main", Phase.APP, units)),
        Optional.of(Map.of("main", Map.of(reserved, units))));
  }

  /** A pod of one container {@code main} that no extender has met. */
  static PodFacts loner(String name, long units) {
    return pod(name, List.of(new ContainerDemand("main", Phase.APP, units)), Optional.empty());
  }

  static PodFacts pod(
      String name,
      List<ContainerDemand> containers,
      Optional<Map<String, Map<DeviceUuid, Long>>> plan) {
    PodUid uid = new PodUid("uid-" + name);
    return new PodFacts(
        uid,
        name(name),
        Optional.of(NODE),
        Optional.empty(),
        0,
        0,
        new Demand(containers),
        Decoded.absent(),
        plan.map(where -> Decoded.ok(new Reservation(uid, NODE, DeviceChoice.ANY, where)))
            .orElse(Decoded.absent()));
  }

  static Reading shows(String pod, long begunNanos, Map<String, List<String>> containers) {
    Map<String, Set<DeviceId>> ids = new TreeMap<>();
    containers.forEach((container, texts) -> ids.put(container, parsed(texts)));
    return new Reading(name(pod), ids, begunNanos);
  }
}
