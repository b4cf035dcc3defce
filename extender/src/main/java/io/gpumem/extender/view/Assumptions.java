package io.gpumem.extender.view;

import io.gpumem.core.units.NodeName;
import io.gpumem.core.units.PodUid;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The assumptions by pod and node. A pod has more than one only while an earlier Binding's fate is
 * unknown and it is being bound elsewhere: both places count, since either may become true.
 *
 * <pre>
 *            assume               2xx, or read back as bound
 *   (none) ---------> IN_FLIGHT ----------------------------> CERTAIN
 *     ^                |     | no answer, or refused as a repeat |
 *     |  refused, gone |     v                                   |
 *     +----------------+   DOUBTFUL --read back as bound--> CERTAIN
 *     |                      |                                   |
 *     +--read back as unbound+    the watch shows the pod bound  |
 *     +----------------------------------------------------------+
 * </pre>
 *
 * <p>Used by the view's writer alone.
 */
final class Assumptions {

  private final Map<PodUid, Map<NodeName, Assumption>> byPod = new HashMap<>();

  Collection<Assumption> of(PodUid uid) {
    return byPod.getOrDefault(uid, Map.of()).values();
  }

  boolean has(PodUid uid) {
    return byPod.containsKey(uid);
  }

  Optional<Assumption> get(PodUid uid, NodeName node) {
    return Optional.ofNullable(byPod.getOrDefault(uid, Map.of()).get(node));
  }

  void put(Assumption assumption) {
    byPod
        .computeIfAbsent(assumption.uid(), uid -> new TreeMap<>())
        .put(assumption.node(), assumption);
  }

  /** The pod is bound there for certain, so it is nowhere else. */
  void settle(Assumption certain) {
    byPod.remove(certain.uid());
    put(certain);
  }

  void remove(PodUid uid, NodeName node) {
    Map<NodeName, Assumption> places = byPod.getOrDefault(uid, Map.of());
    if (places.containsKey(node)) {
      places.remove(node);
      if (places.isEmpty()) {
        byPod.remove(uid);
      }
    }
  }

  void removeAll(PodUid uid) {
    byPod.remove(uid);
  }

  List<Assumption> all() {
    List<Assumption> all = new ArrayList<>();
    byPod.values().forEach(places -> all.addAll(places.values()));
    return all;
  }
}
