package io.gpumem.extender.http.fake;

import io.gpumem.core.units.Quantity;
import io.gpumem.core.units.Units;
import io.gpumem.core.wire.Keys;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * What the scheduler knows without an extender: sums. A node passes when it is ready, open, carries
 * the labels that the pod selects, and has enough allocatable units in sum.
 */
final class NodeSums {

  private final Keys keys;
  private final List<JsonNode> nodes;
  private final Map<String, Long> requested = new HashMap<>();

  NodeSums(Keys keys, List<JsonNode> nodes, Collection<SchedulerPod> pods) {
    this.keys = keys;
    this.nodes = nodes;
    for (SchedulerPod pod : pods) {
      if (!pod.node().isEmpty() && !pod.hasEnded()) {
        add(pod.node(), pod.units());
      }
    }
  }

  /** Counts a pod that is assumed on a node. */
  void add(String node, long units) {
    requested.merge(node, units, Units::sum);
  }

  int size() {
    return nodes.size();
  }

  List<String> names() {
    return nodes.stream().map(NodeSums::name).toList();
  }

  /** Why a pod can't go to a node, in kube-scheduler's words; empty when it may. */
  Map<String, Optional<String>> verdicts(SchedulerPod pod) {
    Map<String, Optional<String>> verdicts = new HashMap<>();
    nodes.forEach(node -> verdicts.put(name(node), verdict(node, pod)));
    return verdicts;
  }

  private Optional<String> verdict(JsonNode node, SchedulerPod pod) {
    if (node.path("spec").path("unschedulable").asBoolean(false)) {
      return Optional.of("node(s) were unschedulable");
    }
    if (!isReady(node)) {
      return Optional.of("node(s) had untolerated taint(s)");
    }
    JsonNode labels = node.path("metadata").path("labels");
    boolean selected =
        pod.nodeSelector().entrySet().stream()
            .allMatch(each -> each.getValue().equals(labels.path(each.getKey()).asString("")));
    if (!selected) {
      return Optional.of("node(s) didn't match Pod's node affinity/selector");
    }
    long free = allocatable(node) - requested.getOrDefault(name(node), 0L);
    return pod.units() > 0 && pod.units() > free
        ? Optional.of("Insufficient " + keys.resource())
        : Optional.empty();
  }

  private static boolean isReady(JsonNode node) {
    return node.path("status")
        .path("conditions")
        .valueStream()
        .anyMatch(
            each ->
                each.path("type").asString("").equals("Ready")
                    && each.path("status").asString("").equals("True"));
  }

  private long allocatable(JsonNode node) {
    String text = node.path("status").path("allocatable").path(keys.resource()).asString("0");
    return Quantity.wholeNumber(text).orElse(0);
  }

  private static String name(JsonNode node) {
    return node.path("metadata").path("name").asString();
  }
}
