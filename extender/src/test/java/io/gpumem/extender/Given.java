package io.gpumem.extender;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Demand;
import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.demand.Policy;
import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.facts.Wish;
import io.gpumem.core.inventory.Device;
import io.gpumem.core.inventory.Health;
import io.gpumem.core.inventory.Inventory;
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

/** Nodes and pods as tests give them. */
public final class Given {

  public static final String MODEL = "NVIDIA H200";

  private Given() {}

  /** The UUID of a node's device of this index. */
  public static DeviceUuid gpu(String node, int index) {
    return new DeviceUuid("GPU-" + node + "-" + index);
  }

  /** A ready node with healthy devices of so many units each. */
  public static NodeFacts node(String name, long... units) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < units.length; i++) {
      devices.add(device(name, i, MODEL, units[i], Health.HEALTHY));
    }
    return node(name, devices, Allocations.NONE);
  }

  public static NodeFacts node(String name, List<Device> devices, Allocations allocations) {
    return new NodeFacts(
        new NodeName(name), new Inventory(Memory.ofGib(1), devices), Set.of(), allocations, true);
  }

  public static Device device(String node, int index, String model, long units, Health health) {
    Memory memory = Memory.ofGib(units);
    return new Device(
        gpu(node, index),
        index,
        model,
        Optional.empty(),
        memory,
        memory,
        units,
        OptionalInt.empty(),
        health);
  }

  public static NodeFacts notReady(NodeFacts node) {
    return new NodeFacts(node.name(), node.inventory(), node.cordoned(), node.allocations(), false);
  }

  /** A node on which the kubelet has given these pods what they asked, as the plugin says. */
  public static NodeFacts allocated(NodeFacts node, DeviceUuid device, PodFacts... pods) {
    Map<PodUid, PodAllocation> table = new java.util.TreeMap<>(node.allocations().pods());
    for (PodFacts pod : pods) {
      Map<String, Map<DeviceUuid, Long>> containers = new java.util.TreeMap<>();
      pod.demand()
          .containers()
          .forEach(each -> containers.put(each.container(), Map.of(device, each.units())));
      table.put(pod.uid(), new PodAllocation(pod.name(), containers, Map.of()));
    }
    return new NodeFacts(
        node.name(),
        node.inventory(),
        node.cordoned(),
        new Allocations(table, Map.of()),
        node.ready());
  }

  /** A waiting pod with one container of so many units. */
  public static PodFacts pod(String name, long units) {
    return pod(name, new ContainerDemand("main", Phase.APP, units));
  }

  public static PodFacts pod(String name, ContainerDemand... containers) {
    return new PodFacts(
        new PodUid("uid-" + name),
        new PodName("team-a", name),
        Optional.empty(),
        Optional.empty(),
        0,
        0,
        new Demand(List.of(containers)),
        Decoded.absent(),
        Decoded.absent());
  }

  public static PodFacts withWish(PodFacts pod, Decoded<Wish> wish) {
    return new PodFacts(
        pod.uid(),
        pod.name(),
        pod.node(),
        pod.nominated(),
        pod.priority(),
        pod.createdMillis(),
        pod.demand(),
        wish,
        pod.reservation());
  }

  public static PodFacts wanting(PodFacts pod, int devices, String... models) {
    return withWish(
        pod, Decoded.ok(new Wish(Optional.empty(), new DeviceChoice(devices, Set.of(models)))));
  }

  public static PodFacts wanting(PodFacts pod, Policy policy) {
    return withWish(pod, Decoded.ok(new Wish(Optional.of(policy), DeviceChoice.ANY)));
  }

  public static PodFacts nominated(PodFacts pod, String node, int priority) {
    return new PodFacts(
        pod.uid(),
        pod.name(),
        pod.node(),
        Optional.of(new NodeName(node)),
        priority,
        pod.createdMillis(),
        pod.demand(),
        pod.wish(),
        pod.reservation());
  }

  public static PodFacts created(PodFacts pod, long millis) {
    return new PodFacts(
        pod.uid(),
        pod.name(),
        pod.node(),
        pod.nominated(),
        pod.priority(),
        millis,
        pod.demand(),
        pod.wish(),
        pod.reservation());
  }

  /** The pod bound with a plan that puts all its containers on one device. */
  public static PodFacts bound(PodFacts pod, String node, int index) {
    Map<String, Map<DeviceUuid, Long>> containers = new java.util.TreeMap<>();
    pod.demand()
        .containers()
        .forEach(each -> containers.put(each.container(), Map.of(gpu(node, index), each.units())));
    DeviceChoice choice = pod.wish().understood().orElse(Wish.NONE).choice();
    NodeName name = new NodeName(node);
    return pod.boundTo(name, new Reservation(pod.uid(), name, choice, containers));
  }
}
