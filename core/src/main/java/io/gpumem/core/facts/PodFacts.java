package io.gpumem.core.facts;

import io.gpumem.core.demand.Demand;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import java.util.Optional;

/**
 * What we keep of a pod that asks for our resource and has not ended. A pod that is being deleted
 * is still here: the kubelet frees its devices only when its containers are down.
 *
 * @param node where it is bound, empty while it waits
 * @param createdMillis the API server's creation time, at its precision of a second
 * @param nominated the node that the scheduler holds for it, empty for most
 */
public record PodFacts(
    PodUid uid,
    PodName name,
    Optional<NodeName> node,
    Optional<NodeName> nominated,
    int priority,
    long createdMillis,
    Demand demand,
    Decoded<Wish> wish,
    Decoded<Reservation> reservation) {

  /** This pod as it will be once the API server has taken the Binding. */
  public PodFacts boundTo(NodeName target, Reservation plan) {
    return new PodFacts(
        uid,
        name,
        Optional.of(target),
        Optional.empty(),
        priority,
        createdMillis,
        demand,
        wish,
        Decoded.ok(plan));
  }
}
