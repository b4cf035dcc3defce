package io.gpumem.core.world;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Demand;
import io.gpumem.core.demand.DeviceChoice;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.facts.Reservation;
import io.gpumem.core.facts.Wish;
import io.gpumem.core.units.DeviceUuid;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A pod of node n1, drawn in one line: its containers in spec order and where each was planned. */
public record PodSketch(
    String name,
    List<ContainerDemand> containers,
    DeviceChoice choice,
    Map<String, Map<DeviceUuid, Long>> plan) {

  /** A pod without containers and plan; its UID is {@code uid-<name>}. */
  public static PodSketch pod(String name) {
    return new PodSketch(name, List.of(), DeviceChoice.ANY, Map.of());
  }

  public PodSketch init(String container, long units) {
    return plus(container, Phase.INIT, units);
  }

  public PodSketch sidecar(String container, long units) {
    return plus(container, Phase.SIDECAR, units);
  }

  public PodSketch app(String container, long units) {
    return plus(container, Phase.APP, units);
  }

  public PodSketch plus(String container, Phase phase, long units) {
    List<ContainerDemand> more = new ArrayList<>(containers);
    more.add(new ContainerDemand(container, phase, units));
    return new PodSketch(name, more, choice, plan);
  }

  public PodSketch choosing(DeviceChoice other) {
    return new PodSketch(name, containers, other, plan);
  }

  /** Plans all containers on one device. */
  public PodSketch reserved(String letter) {
    PodSketch planned = this;
    for (ContainerDemand container : containers) {
      planned = planned.reserved(container.container(), Given.on(letter, container.units()));
    }
    return planned;
  }

  public PodSketch reserved(String container, Map<DeviceUuid, Long> devices) {
    Map<String, Map<DeviceUuid, Long>> more = new TreeMap<>(plan);
    more.put(container, devices);
    return new PodSketch(name, containers, choice, more);
  }

  public Demand demand() {
    return new Demand(containers);
  }

  public Reservation reservation() {
    return new Reservation(Given.uid(name), Given.NODE, choice, plan);
  }

  /** The facts; without a plan there is no reservation. */
  public PodFacts facts() {
    return facts(plan.isEmpty() ? Decoded.absent() : Decoded.ok(reservation()));
  }

  public PodFacts facts(Decoded<Reservation> reservation) {
    Decoded<Wish> wish = Decoded.absent();
    Optional<NodeName> nowhere = Optional.empty();
    return new PodFacts(
        Given.uid(name),
        new PodName("team-a", name),
        Optional.of(Given.NODE),
        nowhere,
        0,
        0,
        demand(),
        wish,
        reservation);
  }
}
