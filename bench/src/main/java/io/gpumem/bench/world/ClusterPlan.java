package io.gpumem.bench.world;

import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.Memory;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A cluster in its steady state: nodes with eight H200 each, ten running pods on a node, of sizes
 * that leave some nodes room for a large pod and others not. The same arguments give the same plan.
 * Immutable.
 *
 * @param pods by node, in the order of {@code nodes}
 */
public record ClusterPlan(List<String> nodes, Map<String, List<PlannedPod>> pods) {

  public static final int DEVICES = 8;
  public static final int PODS_PER_NODE = 10;

  /** What the plugin makes of the 143,155 usable MiB of an H200 in units of 1 GiB. */
  public static final long UNITS = 139;

  private static final long MIB = 143_771;
  private static final long USABLE_MIB = 143_155;
  private static final long SEED = 20_261_201;
  private static final int[] SIZES = {8, 16, 24, 40, 70, 100, 139};

  public ClusterPlan {
    nodes = List.copyOf(nodes);
    pods = Map.copyOf(pods);
  }

  /** So many nodes, each full of its pods. */
  public static ClusterPlan of(int size) {
    Random random = new Random(SEED);
    List<String> nodes = new ArrayList<>();
    Map<String, List<PlannedPod>> pods = new HashMap<>();
    for (int i = 0; i < size; i++) {
      String node = "gpu-pool-a-node-%05d".formatted(i);
      nodes.add(node);
      pods.put(node, podsOf(i, node, random));
    }
    return new ClusterPlan(nodes, pods);
  }

  /** Pods of random sizes, each on the fullest device that takes it. */
  private static List<PlannedPod> podsOf(int place, String node, Random random) {
    Map<DeviceUuid, Long> free = new TreeMap<>();
    for (int i = 0; i < DEVICES; i++) {
      free.put(device(place, i), UNITS);
    }
    List<PlannedPod> pods = new ArrayList<>();
    while (pods.size() < PODS_PER_NODE) {
      long units = SIZES[random.nextInt(SIZES.length)];
      Optional<DeviceUuid> device =
          free.entrySet().stream()
              .filter(each -> each.getValue() >= units)
              .min(Map.Entry.comparingByValue())
              .map(Map.Entry::getKey);
      if (device.isPresent()) {
        free.merge(device.get(), -units, Long::sum);
        String name = "model-%05d-%02d".formatted(place, pods.size());
        pods.add(new PlannedPod(name, node, device.get(), units));
      }
    }
    return List.copyOf(pods);
  }

  private static DeviceUuid device(int node, int place) {
    return new DeviceUuid("GPU-%08x-0000-4000-8000-%012x".formatted(node, place));
  }

  /** All pods, node by node. */
  public List<PlannedPod> allPods() {
    return nodes.stream().flatMap(node -> pods.getOrDefault(node, List.of()).stream()).toList();
  }

  /** The devices of the node at this place in the list. */
  public static Inventory inventory(int node) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < DEVICES; i++) {
      devices.add(
          new Device(
              device(node, i),
              i,
              "NVIDIA H200",
              Optional.empty(),
              new Memory(MIB),
              new Memory(USABLE_MIB),
              UNITS,
              OptionalInt.of(i / (DEVICES / 2)),
              Health.HEALTHY));
    }
    return new Inventory(Memory.ofGib(1), devices);
  }

  /** The nodes where one device has so many units free: reckoned from the plan alone. */
  public List<String> withRoom(long piece) {
    return nodes.stream()
        .filter(
            node -> {
              Map<DeviceUuid, Long> used = new HashMap<>();
              pods.getOrDefault(node, List.of())
                  .forEach(pod -> used.merge(pod.device(), pod.units(), Long::sum));
              return used.size() < DEVICES
                  || used.values().stream().anyMatch(units -> UNITS - units >= piece);
            })
        .toList();
  }

  /** The kubelet's table of a node, given what UID each pod has. */
  Allocations allocations(String node, Function<PlannedPod, PodUid> uids) {
    Map<PodUid, PodAllocation> table = new HashMap<>();
    pods.getOrDefault(node, List.of()).forEach(pod -> table.put(uids.apply(pod), pod.allocation()));
    return new Allocations(table, Map.of());
  }

  /** What readers of the API server make of all nodes. */
  public List<NodeFacts> nodeFacts() {
    List<NodeFacts> facts = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      String node = nodes.get(i);
      Allocations table = allocations(node, pod -> new PodUid(pod.name()));
      facts.add(new NodeFacts(new NodeName(node), inventory(i), Set.of(), table, true));
    }
    return facts;
  }

  /** What readers of the API server make of all pods; a pod's name is its UID. */
  public List<PodFacts> podFacts() {
    return allPods().stream().map(pod -> pod.facts(new PodUid(pod.name()))).toList();
  }
}
