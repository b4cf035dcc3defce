package io.gpumem.extender.view;

import io.gpumem.core.facts.NodeFacts;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The mutable state behind the snapshots: what the watches have shown, what is assumed, and which
 * nodes have to be computed anew. Used by the view's writer alone.
 *
 * <p>A pod counts where the watch shows it bound; else on every node where it is assumed; else
 * nowhere. So the watch always wins, and a pod that it shows gone counts nowhere at once.
 */
final class Fold {

  private final Map<PodUid, PodFacts> pods = new HashMap<>();
  private final Map<NodeName, NodeFacts> nodes = new HashMap<>();
  private final Assumptions assumptions = new Assumptions();

  /** Who counts where, in the order of appearance. */
  private final Map<NodeName, Map<PodUid, PodFacts>> rosters = new HashMap<>();

  private final Map<NodeName, Map<PodUid, PodFacts>> nominees = new HashMap<>();
  private final Map<PodUid, PodFacts> waiting = new HashMap<>();
  private final Gone gone = new Gone();
  private final Set<NodeName> dirty = new HashSet<>();
  private boolean waitingChanged;
  private boolean assumptionsChanged;

  /** A whole list: what it does not name is gone. */
  void listPods(Collection<PodFacts> all) {
    Set<PodUid> listed = new HashSet<>();
    all.forEach(pod -> listed.add(pod.uid()));
    for (PodUid uid : List.copyOf(pods.keySet())) {
      if (!listed.contains(uid)) {
        removePod(uid);
      }
    }
    // Pods of one list have no order but their age, which is the kubelet's own for them.
    all.stream().sorted(Precedence.AGE).forEach(this::putPod);
  }

  void putPod(PodFacts pod) {
    change(
        pod.uid(),
        () -> {
          pods.put(pod.uid(), pod);
          gone.remove(pod.uid());
          if (pod.node().isPresent() && assumptions.has(pod.uid())) {
            assumptions.removeAll(pod.uid());
            assumptionsChanged = true;
          }
        });
  }

  void removePod(PodUid uid) {
    change(
        uid,
        () -> {
          pods.remove(uid);
          gone.add(uid);
          assumptionsChanged |= assumptions.has(uid);
          assumptions.removeAll(uid);
        });
  }

  /** A whole list: what it does not name is gone. */
  void listNodes(Collection<NodeFacts> all) {
    Set<NodeName> listed = new HashSet<>();
    all.forEach(node -> listed.add(node.name()));
    List.copyOf(nodes.keySet()).stream()
        .filter(name -> !listed.contains(name))
        .forEach(this::removeNode);
    all.forEach(this::putNode);
  }

  void putNode(NodeFacts node) {
    if (!node.equals(nodes.put(node.name(), node))) {
      dirty.add(node.name());
    }
  }

  void removeNode(NodeName name) {
    if (nodes.remove(name) != null) {
      dirty.add(name);
    }
  }

  /**
   * Counts a pod where it is being bound; nothing when the watch shows it bound. Who binds has just
   * seen the pod, by the watch or by a consistent read, so that one that went is counted again.
   */
  void assume(Assumption assumption) {
    gone.remove(assumption.uid());
    edit(
        assumption.uid(),
        () -> {
          boolean repeats = assumptions.get(assumption.uid(), assumption.node()).isPresent();
          assumptions.put(repeats ? assumption.asRepeat() : assumption);
        });
  }

  /** The pod is bound there for certain; its facts are those that were read back, if any were. */
  void settle(Assumption certain) {
    edit(certain.uid(), () -> assumptions.settle(certain));
  }

  /**
   * The answer is unknown. A later attempt for the same place goes on; if it has failed already,
   * the doubt is as young as the last answer that was missed.
   */
  void doubt(Assumption assumption, long nowNanos) {
    edit(
        assumption.uid(),
        () ->
            assumptions
                .get(assumption.uid(), assumption.node())
                .filter(
                    now ->
                        now.attempt() == assumption.attempt()
                            || now.state() == Assumption.State.DOUBTFUL)
                .ifPresent(now -> assumptions.put(now.in(Assumption.State.DOUBTFUL, nowNanos))));
  }

  /**
   * This attempt has not bound the pod there. A later attempt for the same place speaks for itself,
   * and of an earlier one nothing is known by it: what was sent before may still be committed.
   */
  void forget(Assumption assumption, long nowNanos) {
    edit(
        assumption.uid(),
        () ->
            assumptions
                .get(assumption.uid(), assumption.node())
                .filter(now -> now.attempt() == assumption.attempt())
                .ifPresent(now -> forgetOrDoubt(now, nowNanos)));
  }

  private void forgetOrDoubt(Assumption now, long nowNanos) {
    if (now.isRepeat() && now.state() == Assumption.State.IN_FLIGHT) {
      assumptions.put(now.in(Assumption.State.DOUBTFUL, nowNanos));
    } else {
      assumptions.remove(now.uid(), now.node());
    }
  }

  /** An answer to a Binding can come after the watch has shown the pod bound, or even gone. */
  private void edit(PodUid uid, Runnable edit) {
    PodFacts seen = pods.get(uid);
    boolean undecided = seen == null ? !gone.contains(uid) : seen.node().isEmpty();
    if (undecided) {
      assumptionsChanged = true;
      change(uid, edit);
    }
  }

  /** Makes a change of one pod and brings the rosters after it. */
  private void change(PodUid uid, Runnable edit) {
    Map<NodeName, PodFacts> before = places(uid);
    Optional<NodeName> heldBefore = heldFor(uid);
    edit.run();
    Map<NodeName, PodFacts> after = places(uid);
    before.keySet().stream().filter(n -> !after.containsKey(n)).forEach(n -> drop(rosters, n, uid));
    after.forEach((node, pod) -> enter(rosters, node, pod));
    Optional<NodeName> heldNow = heldFor(uid);
    heldBefore.filter(n -> !heldNow.equals(heldBefore)).ifPresent(n -> drop(nominees, n, uid));
    Optional<PodFacts> seen = waitsFor(uid);
    heldNow.ifPresent(node -> enter(nominees, node, seen.orElseThrow()));
    Optional<PodFacts> waited = Optional.ofNullable(waiting.remove(uid));
    seen.ifPresent(pod -> waiting.put(uid, pod));
    waitingChanged |= !seen.equals(waited);
  }

  /** The pod, if the watch shows it without a node. */
  private Optional<PodFacts> waitsFor(PodUid uid) {
    return Optional.ofNullable(pods.get(uid)).filter(pod -> pod.node().isEmpty());
  }

  private Map<NodeName, PodFacts> places(PodUid uid) {
    PodFacts seen = pods.get(uid);
    if (seen != null && seen.node().isPresent()) {
      return Map.of(seen.node().get(), seen);
    }
    Map<NodeName, PodFacts> places = new LinkedHashMap<>();
    assumptions.of(uid).forEach(each -> places.put(each.node(), each.bound()));
    return places;
  }

  /** The node that is held for a pod which counts nowhere yet. */
  private Optional<NodeName> heldFor(PodUid uid) {
    return assumptions.has(uid) ? Optional.empty() : waitsFor(uid).flatMap(PodFacts::nominated);
  }

  private void enter(Map<NodeName, Map<PodUid, PodFacts>> lists, NodeName node, PodFacts pod) {
    Map<PodUid, PodFacts> list = lists.computeIfAbsent(node, name -> new LinkedHashMap<>());
    if (!pod.equals(list.put(pod.uid(), pod))) {
      dirty.add(node);
    }
  }

  private void drop(Map<NodeName, Map<PodUid, PodFacts>> lists, NodeName node, PodUid uid) {
    Map<PodUid, PodFacts> list = lists.getOrDefault(node, Map.of());
    if (list.containsKey(uid)) {
      list.remove(uid);
      dirty.add(node);
      if (list.isEmpty()) {
        lists.remove(node);
      }
    }
  }

  /** What was computed anew. */
  record Renewal(ClusterSnapshot snapshot, List<Renewed> nodes) {}

  /** A node's view before and after; empty before it was known, and when it is gone. */
  record Renewed(Optional<NodeView> before, Optional<NodeView> after) {}

  /** The snapshot after all changes so far; the last one itself when nothing changed. */
  Renewal renew(ClusterSnapshot last) {
    if (dirty.isEmpty() && !waitingChanged && !assumptionsChanged) {
      return new Renewal(last, List.of());
    }
    List<Renewed> renewed = new ArrayList<>();
    Map<NodeName, NodeView> views = last.nodesByName();
    Map<NodeName, List<PodFacts>> elsewhere = last.elsewhere();
    if (!dirty.isEmpty()) {
      views = new HashMap<>(views);
      elsewhere = new HashMap<>(elsewhere);
      for (NodeName name : dirty) {
        renewed.add(renew(name, views, elsewhere));
      }
    }
    ClusterSnapshot next =
        new ClusterSnapshot(
            last.generation() + 1,
            views,
            waitingChanged ? new HashMap<>(waiting) : last.waitingByUid(),
            elsewhere,
            assumptionsChanged ? assumptions.all() : last.assumptions());
    dirty.clear();
    waitingChanged = false;
    assumptionsChanged = false;
    return new Renewal(next, renewed);
  }

  private Renewed renew(
      NodeName name, Map<NodeName, NodeView> views, Map<NodeName, List<PodFacts>> elsewhere) {
    List<PodFacts> roster = List.copyOf(rosters.getOrDefault(name, Map.of()).values());
    Optional<NodeView> before = Optional.ofNullable(views.remove(name));
    elsewhere.remove(name);
    NodeFacts facts = nodes.get(name);
    if (facts == null) {
      if (!roster.isEmpty()) {
        elsewhere.put(name, roster);
      }
      return new Renewed(before, Optional.empty());
    }
    List<PodFacts> held =
        nominees.getOrDefault(name, Map.of()).values().stream().sorted(Precedence.ORDER).toList();
    NodeView after = NodeView.of(facts, roster, held);
    views.put(name, after);
    return new Renewed(before, Optional.of(after));
  }
}
