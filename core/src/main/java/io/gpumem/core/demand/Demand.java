package io.gpumem.core.demand;

import io.gpumem.core.units.Units;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What a pod asks: its containers with a request, in the order in which the kubelet admits them
 * (init containers in spec order, then the others).
 */
public record Demand(List<ContainerDemand> containers) {

  public static final Demand NONE = new Demand(List.of());

  public Demand {
    containers = List.copyOf(containers);
    Set<String> names = new HashSet<>();
    for (ContainerDemand container : containers) {
      if (!names.add(container.container())) {
        throw new IllegalArgumentException("container named twice: " + container.container());
      }
    }
  }

  public boolean isNone() {
    return containers.isEmpty();
  }

  /**
   * The most units that the pod holds at once, as kube-scheduler counts any extended resource, so
   * that the two views cannot drift (component-helpers resource.PodRequests): the larger of the
   * highest init phase, with the sidecars started before it, and the main phase with all sidecars.
   */
  public long footprint() {
    long sidecars = 0;
    long apps = 0;
    long peak = 0;
    for (ContainerDemand container : containers) {
      switch (container.phase()) {
        case INIT -> peak = Math.max(peak, Units.sum(sidecars, container.units()));
        case SIDECAR -> {
          sidecars = Units.sum(sidecars, container.units());
          peak = Math.max(peak, sidecars);
        }
        case APP -> apps = Units.sum(apps, container.units());
      }
    }
    return Math.max(peak, Units.sum(sidecars, apps));
  }

  /** The units of the main phase: what PodResources shows once all containers are admitted. */
  public long mainPhase() {
    return containers.stream()
        .filter(container -> container.phase() != Phase.INIT)
        .mapToLong(ContainerDemand::units)
        .reduce(0, Units::sum);
  }

  /**
   * What stays booked for the pod's life beyond its main phase: the kubelet keeps the surplus of a
   * large init container under that container's name and never gives it back earlier.
   */
  public long initSurplus() {
    return footprint() - mainPhase();
  }

  /**
   * Whether an ordinary init container asks for units. The kubelet hands what such a container held
   * to the pod's later containers at random and without asking us, so all GPU containers of the pod
   * must be on one device.
   */
  public boolean hasOrdinaryInit() {
    return containers.stream().anyMatch(container -> container.phase() == Phase.INIT);
  }

  /** The units of one container; empty when it asks nothing or is not of this pod. */
  public OptionalLong of(String container) {
    return containers.stream()
        .filter(each -> each.container().equals(container))
        .mapToLong(ContainerDemand::units)
        .findFirst();
  }
}
