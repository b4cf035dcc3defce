package io.gpumem.plugin.kubelet;

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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * A node as it truly is: its devices, its pods, and the kubelet's own table, which no call of a
 * test changes.
 *
 * @param table what running pods hold in their container {@code main}
 * @param outstanding pods that are bound with a plan and not admitted yet
 */
record TrueNode(
    Inventory inventory, Map<PodFacts, Set<DeviceId>> table, List<PodFacts> outstanding) {

  static final NodeName NAME = new NodeName("n1");
  static final String MAIN = "main";

  private static final long[] UNITS = {4, 8, 16, 16};

  static TrueNode of(Random chance) {
    List<Device> devices = new ArrayList<>();
    Map<PodFacts, Set<DeviceId>> table = new LinkedHashMap<>();
    List<PodFacts> outstanding = new ArrayList<>();
    int count = 1 + chance.nextInt(3);
    for (int i = 0; i < count; i++) {
      Device device = device(i, UNITS[chance.nextInt(UNITS.length)], chance.nextInt(8) > 0);
      devices.add(device);
      int next = 0;
      while (next < device.units() && chance.nextInt(4) > 0) {
        int units = 1 + chance.nextInt(Math.min(6, (int) device.units() - next));
        PodFacts pod = pod("d" + i + "-" + next, units, device.uuid());
        if (chance.nextInt(3) > 0) {
          table.put(pod, ids(device.uuid(), next, next + units));
        } else {
          outstanding.add(pod);
        }
        next += units;
      }
    }
    if (table.isEmpty() && outstanding.isEmpty()) {
      // What was answered is forgotten by readings of pods, so that there must be one.
      outstanding.add(pod("only", 1, devices.getFirst().uuid()));
    }
    return new TrueNode(new Inventory(Memory.ofGib(1), devices), table, outstanding);
  }

  private static Device device(int index, long units, boolean isHealthy) {
    Memory memory = Memory.ofGib(units);
    return new Device(
        new DeviceUuid("GPU-" + (char) ('a' + index)),
        index,
        "Card",
        Optional.empty(),
        memory,
        memory,
        units,
        OptionalInt.empty(),
        isHealthy ? Health.HEALTHY : new Health.Unhealthy("XID 79"));
  }

  private static PodFacts pod(String name, long units, DeviceUuid device) {
    PodUid uid = new PodUid("uid-" + name);
    Reservation plan =
        new Reservation(uid, NAME, DeviceChoice.ANY, Map.of(MAIN, Map.of(device, units)));
    return new PodFacts(
        uid,
        new PodName("team-a", name),
        Optional.of(NAME),
        Optional.empty(),
        0,
        0,
        new Demand(List.of(new ContainerDemand(MAIN, Phase.APP, units))),
        Decoded.absent(),
        Decoded.ok(plan));
  }

  private static Set<DeviceId> ids(DeviceUuid device, int from, int to) {
    Set<DeviceId> ids = new TreeSet<>();
    for (int number = from; number < to; number++) {
      ids.add(new DeviceId(device, number));
    }
    return ids;
  }

  List<PodFacts> pods() {
    List<PodFacts> pods = new ArrayList<>(table.keySet());
    pods.addAll(outstanding);
    return pods;
  }

  Set<DeviceId> all() {
    Set<DeviceId> all = new TreeSet<>();
    inventory.devices().forEach(each -> all.addAll(ids(each.uuid(), 0, (int) each.units())));
    return all;
  }

  Set<DeviceId> held() {
    Set<DeviceId> held = new TreeSet<>();
    table.values().forEach(held::addAll);
    return held;
  }

  /** What the kubelet would offer: what nobody holds, of healthy devices. */
  List<String> offered() {
    Set<DeviceId> free = new TreeSet<>(all());
    free.removeAll(held());
    return free.stream()
        .filter(id -> inventory.device(id.device()).orElseThrow().health().isHealthy())
        .map(DeviceId::toString)
        .toList();
  }
}
