package io.gpumem.core.world;

import io.gpumem.core.facts.Allocations;
import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodAllocation;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.inventory.Inventory;
import io.gpumem.core.ledger.NodeBooks;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Node n1 with its devices and what the kubelet has given, drawn in one line. */
public record NodeSketch(Inventory inventory, Allocations allocations) {

  public static NodeSketch of(Inventory inventory) {
    return new NodeSketch(inventory, Allocations.NONE);
  }

  /** Node n1 with healthy GPUs A, B, C of these units. */
  public static NodeSketch of(long... units) {
    return of(Given.gpus(units));
  }

  /** The kubelet shows this container of a pod with these units. */
  public NodeSketch shows(String pod, String container, Map<DeviceUuid, Long> devices) {
    PodAllocation before = allocation(pod);
    Map<String, Map<DeviceUuid, Long>> containers = new TreeMap<>(before.containers());
    containers.put(container, devices);
    return with(pod, new PodAllocation(before.name(), containers, before.init()));
  }

  /** The plugin published this as what the pod holds beyond what is shown. */
  public NodeSketch init(String pod, Map<DeviceUuid, Long> devices) {
    PodAllocation before = allocation(pod);
    return with(pod, new PodAllocation(before.name(), before.containers(), devices));
  }

  /** The pod was seen to hold nothing. */
  public NodeSketch showsNothing(String pod) {
    return with(pod, new PodAllocation(name(pod), Map.of(), Map.of()));
  }

  /** The kubelet shows a name that is no live pod of ours. */
  public NodeSketch unknown(String pod, Map<DeviceUuid, Long> devices) {
    Map<PodName, Map<DeviceUuid, Long>> names = new TreeMap<>(allocations.names());
    names.put(name(pod), devices);
    return new NodeSketch(inventory, new Allocations(allocations.pods(), names));
  }

  public NodeFacts facts() {
    return new NodeFacts(Given.NODE, inventory, Set.of(), allocations, true);
  }

  public NodeBooks books(PodSketch... pods) {
    return NodeBooks.of(facts(), List.of(pods).stream().map(PodSketch::facts).toList());
  }

  public NodeBooks booksOf(List<PodFacts> pods) {
    return NodeBooks.of(facts(), pods);
  }

  private NodeSketch with(String pod, PodAllocation allocation) {
    Map<PodUid, PodAllocation> pods = new TreeMap<>(allocations.pods());
    pods.put(Given.uid(pod), allocation);
    return new NodeSketch(inventory, new Allocations(pods, allocations.names()));
  }

  private PodAllocation allocation(String pod) {
    return Optional.ofNullable(allocations.pods().get(Given.uid(pod)))
        .orElseGet(() -> new PodAllocation(name(pod), Map.of(), Map.of()));
  }

  private static PodName name(String pod) {
    return new PodName("team-a", pod);
  }
}
