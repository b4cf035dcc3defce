package io.gpumem.core.wire;

import io.gpumem.core.demand.ContainerDemand;
import io.gpumem.core.demand.Demand;
import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.units.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Turns the few fields of a pod that matter into {@link PodFacts}, for the Kubernetes client's
 * objects and for the scheduler's JSON alike, so that both are read by one rule.
 */
public final class PodReader {

  private final Keys keys;

  public PodReader(Keys keys) {
    this.keys = keys;
  }

  /**
   * One container as it stands in the spec.
   *
   * @param quantity the limit of our resource as text, empty when it has none
   */
  public record SpecContainer(String name, Phase phase, Optional<String> quantity) {}

  /** What identifies a pod and where it is; see {@link PodFacts} for the meaning. */
  public record Identity(
      PodUid uid,
      PodName name,
      Optional<NodeName> node,
      Optional<NodeName> nominated,
      int priority,
      long createdMillis) {}

  /**
   * The facts of a pod; absent when it asks for none of our resource (a request of zero is no
   * request), malformed when a quantity can't be read.
   *
   * @param containers init containers in spec order, then the others in spec order
   */
  public Decoded<PodFacts> read(
      Identity pod, Map<String, String> annotations, List<SpecContainer> containers) {
    List<ContainerDemand> demands = new ArrayList<>();
    for (SpecContainer container : containers) {
      if (container.quantity().isEmpty()) {
        continue;
      }
      OptionalLong units = Quantity.wholeNumber(container.quantity().get());
      if (units.isEmpty()) {
        return Decoded.malformed(
            "container " + container.name() + ": " + keys.resource() + " is no whole number");
      }
      if (units.getAsLong() > 0) {
        demands.add(new ContainerDemand(container.name(), container.phase(), units.getAsLong()));
      }
    }
    if (demands.isEmpty()) {
      return Decoded.absent();
    }
    try {
      return Decoded.ok(facts(pod, annotations, new Demand(demands)));
    } catch (IllegalArgumentException twoContainersOfOneName) {
      return Decoded.malformed(String.valueOf(twoContainersOfOneName.getMessage()));
    }
  }

  private PodFacts facts(Identity pod, Map<String, String> annotations, Demand demand) {
    return new PodFacts(
        pod.uid(),
        pod.name(),
        pod.node(),
        pod.nominated(),
        pod.priority(),
        pod.createdMillis(),
        demand,
        WishCodec.decode(keys, annotations),
        ReservationCodec.decode(Optional.ofNullable(annotations.get(keys.reservation()))));
  }
}
