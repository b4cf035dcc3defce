package io.gpumem.extender.verdict;

import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import java.util.Map;
import java.util.Set;

/** The nodes that are closed for a moment, so that a pod which waited long gets its turn. */
record Closures(Map<NodeName, Closure> byNode) {

  static final Closures NONE = new Closures(Map.of());

  Closures {
    byNode = Map.copyOf(byNode);
  }

  /**
   * One closed node.
   *
   * @param turn the pod whose turn it is
   * @param sizes the requests, in units, that all other pods must not place there meanwhile
   */
  record Closure(PodUid turn, Set<Long> sizes, long untilNanos) {
    Closure {
      sizes = Set.copyOf(sizes);
    }
  }

  /** Whether a request of this size by this pod has to wait. */
  boolean closes(NodeName node, long units, PodUid pod) {
    if (byNode.isEmpty()) {
      return false;
    }
    Closure closure = byNode.get(node);
    return closure != null && !closure.turn().equals(pod) && closure.sizes().contains(units);
  }
}
