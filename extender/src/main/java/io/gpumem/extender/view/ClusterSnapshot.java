package io.gpumem.extender.view;

import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The cluster at one moment. Immutable: a request reads one snapshot from its first step to its
 * last, however long it takes.
 *
 * <p>The maps are shared with nobody who writes; they are not copied here, since the writer makes a
 * new one for each snapshot in which something changed.
 */
public final class ClusterSnapshot {

  /** Nothing is known. */
  public static final ClusterSnapshot EMPTY =
      new ClusterSnapshot(0, Map.of(), Map.of(), Map.of(), List.of());

  private final long generation;
  private final Map<NodeName, NodeView> nodes;
  private final Map<PodUid, PodFacts> waiting;
  private final Map<NodeName, List<PodFacts>> elsewhere;
  private final List<Assumption> assumptions;

  ClusterSnapshot(
      long generation,
      Map<NodeName, NodeView> nodes,
      Map<PodUid, PodFacts> waiting,
      Map<NodeName, List<PodFacts>> elsewhere,
      List<Assumption> assumptions) {
    this.generation = generation;
    this.nodes = nodes;
    this.waiting = waiting;
    this.elsewhere = elsewhere;
    this.assumptions = assumptions;
  }

  /** How many snapshots there were before this one. */
  public long generation() {
    return generation;
  }

  /** The node; empty when no plugin has reported from it. */
  public Optional<NodeView> node(NodeName name) {
    return Optional.ofNullable(nodes.get(name));
  }

  /** All nodes with a plugin, in no order. */
  public Collection<NodeView> nodes() {
    return nodes.values();
  }

  /** The pods that the watch shows without a node, also those that are assumed somewhere. */
  public Collection<PodFacts> waiting() {
    return waiting.values();
  }

  /** A pod that the watch shows without a node. */
  public Optional<PodFacts> waiting(PodUid uid) {
    return Optional.ofNullable(waiting.get(uid));
  }

  /** Every assumption; there are few. */
  public List<Assumption> assumptions() {
    return assumptions;
  }

  /** Where a pod is assumed. */
  public List<Assumption> assumptions(PodUid uid) {
    return assumptions.stream().filter(each -> each.uid().equals(uid)).toList();
  }

  /** Every pod with a node, assumed ones and those of nodes without a plugin included. */
  public Stream<PodFacts> placed() {
    return Stream.concat(
        nodes.values().stream().flatMap(node -> node.pods().stream()),
        elsewhere.values().stream().flatMap(List::stream));
  }

  /**
   * The newest pod of this name, wherever it is. It walks over all pods: for people's questions.
   */
  public Optional<PodFacts> find(PodName name) {
    return Stream.concat(placed(), waiting.values().stream())
        .filter(pod -> pod.name().equals(name))
        .reduce((one, other) -> other.createdMillis() > one.createdMillis() ? other : one);
  }

  Map<NodeName, NodeView> nodesByName() {
    return nodes;
  }

  Map<PodUid, PodFacts> waitingByUid() {
    return waiting;
  }

  Map<NodeName, List<PodFacts>> elsewhere() {
    return elsewhere;
  }
}
