package io.gpumem.bench.world;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Demand;
import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.facts.Wish;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A running pod of the plan: one container with all its units on one device. */
public record PlannedPod(String name, String node, DeviceUuid device, long units) {

  static final String NAMESPACE = "inference";
  static final String CONTAINER = "server";

  /** The units of the one container by device, as kubelet and extender both have them. */
  public Map<String, Map<DeviceUuid, Long>> containers() {
    return Map.of(CONTAINER, Map.of(device, units));
  }

  PodName fullName() {
    return new PodName(NAMESPACE, name);
  }

  Reservation reservation(PodUid uid) {
    return new Reservation(uid, new NodeName(node), DeviceChoice.ANY, containers());
  }

  PodAllocation allocation() {
    return new PodAllocation(fullName(), containers(), Map.of());
  }

  /** What a reader of the API server makes of this pod. */
  PodFacts facts(PodUid uid) {
    return waiting(uid, fullName(), List.of(units)).boundTo(new NodeName(node), reservation(uid));
  }

  /** The facts of a pod without a node, with a container for each of these units. */
  public static PodFacts waiting(PodUid uid, PodName name, List<Long> units) {
    List<ContainerDemand> containers =
        java.util.stream.IntStream.range(0, units.size())
            .mapToObj(i -> new ContainerDemand(container(i), Phase.APP, units.get(i)))
            .toList();
    return new PodFacts(
        uid,
        name,
        Optional.empty(),
        Optional.empty(),
        0,
        0,
        new Demand(containers),
        Decoded.ok(Wish.NONE),
        Decoded.absent());
  }

  static String container(int place) {
    return place == 0 ? CONTAINER : CONTAINER + place;
  }
}
