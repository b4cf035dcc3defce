package io.gpumem.demo.world;

import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.PodUid;
import io.gpumem.platform.cluster.fake.ApiObjects;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.cluster.fake.Refusal;
import io.gpumem.platform.cluster.fake.ResourceKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * One scheduling cycle as kube-scheduler does it: its own check of the sum, then the extender's
 * filter, prioritize and bind over HTTP. What it can't place it writes on the pod and in an event,
 * in kube-scheduler's words.
 */
final class Scheduling {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** What a cycle came to. */
  enum Outcome {
    /** Bound, or there is nothing to bind any more. */
    DONE,
    /** No node now; a change in the cluster may help. */
    UNSCHEDULABLE,
    /** The extender could not answer, or refused to bind; to be tried again soon. */
    ERROR
  }

  private final ApiObjects objects;
  private final ExtenderClient extender;
  private final String resource;
  private final Random random;

  Scheduling(ApiObjects objects, ExtenderClient extender, String resource, long seed) {
    this.objects = objects;
    this.extender = extender;
    this.resource = resource;
    this.random = new Random(seed);
  }

  /** Told of the node just before the binding is asked for, and empty if it failed. */
  interface Assume {
    void on(PodUid pod, Optional<String> node);
  }

  /**
   * Tries to place the pod.
   *
   * @param requested units of the resource that bound and assumed pods ask, by node
   */
  Outcome cycle(PodFacts pod, Map<String, Long> requested, Assume assume)
      throws InterruptedException {
    ObjectKey key = ObjectKey.pod(pod.name().namespace(), pod.name().name());
    Optional<ObjectNode> found = objects.find(key).filter(now -> isWaiting(now, pod));
    if (found.isEmpty()) {
      return Outcome.DONE;
    }
    Map<String, String> reasons = new TreeMap<>();
    List<String> candidates = candidates(found.get(), pod, requested, reasons);
    int nodes = candidates.size() + reasons.size();
    if (!candidates.isEmpty()) {
      String args = args(found.get(), candidates);
      Optional<JsonNode> answer = extender.post("/filter", args);
      if (answer.isEmpty() || !answer.get().path("Error").asString("").isEmpty()) {
        return Outcome.ERROR;
      }
      for (String field : List.of("FailedNodes", "FailedAndUnresolvableNodes")) {
        answer
            .get()
            .path(field)
            .properties()
            .forEach(each -> reasons.put(each.getKey(), each.getValue().asString("")));
      }
      candidates = texts(answer.get().path("NodeNames"));
    }
    if (candidates.isEmpty()) {
      unschedulable(key, found.get(), nodes, reasons);
      return Outcome.UNSCHEDULABLE;
    }
    return bind(pod, best(found.get(), candidates), assume);
  }

  private static boolean isWaiting(ObjectNode now, PodFacts pod) {
    JsonNode metadata = now.path("metadata");
    return metadata.path("uid").asString("").equals(pod.uid().text())
        && !metadata.has("deletionTimestamp")
        && !now.path("spec").has("nodeName");
  }

  /** The plugins NodeAffinity and NodeResourcesFit. */
  private List<String> candidates(
      ObjectNode wanted, PodFacts pod, Map<String, Long> requested, Map<String, String> reasons) {
    List<String> candidates = new ArrayList<>();
    for (ObjectNode node : objects.all(ResourceKind.NODES)) {
      String name = node.path("metadata").path("name").asString("");
      String host = wanted.path("spec").path("nodeSelector").path(PlayedNode.HOSTNAME).asString("");
      long allocatable =
          Long.parseLong(node.path("status").path("allocatable").path(resource).asString("0"));
      long free = allocatable - requested.getOrDefault(name, 0L);
      if (!host.isEmpty() && !host.equals(name)) {
        reasons.put(name, "node(s) didn't match Pod's node affinity/selector");
      } else if (pod.demand().footprint() > free) {
        reasons.put(name, "Insufficient " + resource);
      } else {
        candidates.add(name);
      }
    }
    return candidates;
  }

  private static String args(ObjectNode pod, List<String> names) {
    ObjectNode args = JSON.createObjectNode();
    args.set("Pod", pod);
    args.putNull("Nodes");
    args.set("NodeNames", JSON.valueToTree(names));
    return args.toString();
  }

  private String best(ObjectNode pod, List<String> names) throws InterruptedException {
    Map<String, Integer> scores = new LinkedHashMap<>();
    names.forEach(name -> scores.put(name, 0));
    extender
        .post("/prioritize", args(pod, names))
        .ifPresent(
            answer ->
                answer.forEach(
                    each ->
                        scores.put(each.path("Host").asString(""), each.path("Score").asInt(0))));
    int highest = scores.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    List<String> best = names.stream().filter(name -> scores.get(name) == highest).toList();
    return best.get(random.nextInt(best.size()));
  }

  private Outcome bind(PodFacts pod, String node, Assume assume) throws InterruptedException {
    assume.on(pod.uid(), Optional.of(node));
    ObjectNode args = JSON.createObjectNode();
    args.put("PodName", pod.name().name());
    args.put("PodNamespace", pod.name().namespace());
    args.put("PodUID", pod.uid().text());
    args.put("Node", node);
    Optional<JsonNode> answer = extender.post("/bind", args.toString());
    boolean bound = answer.map(said -> said.path("Error").asString("").isEmpty()).orElse(false);
    if (!bound) {
      assume.on(pod.uid(), Optional.empty());
    }
    return bound ? Outcome.DONE : Outcome.ERROR;
  }

  /** The histogram of reasons that {@code kubectl describe pod} shows. */
  private void unschedulable(
      ObjectKey key, ObjectNode pod, int nodes, Map<String, String> reasons) {
    Map<String, Integer> histogram = new TreeMap<>();
    reasons.values().forEach(reason -> histogram.merge(reason, 1, Integer::sum));
    List<String> parts =
        histogram.entrySet().stream().map(each -> each.getValue() + " " + each.getKey()).toList();
    String message = "0/%d nodes are available: %s.".formatted(nodes, String.join(", ", parts));
    JsonNode before = pod.path("status").path("conditions").path(0);
    if (before.path("message").asString("").equals(message)) {
      return;
    }
    ObjectNode patch = JSON.createObjectNode();
    patch.putObject("metadata").put("uid", pod.path("metadata").path("uid").asString(""));
    patch
        .putObject("status")
        .putArray("conditions")
        .addObject()
        .put("type", "PodScheduled")
        .put("status", "False")
        .put("reason", "Unschedulable")
        .put("message", message);
    try {
      objects.patchStatus(key, patch.toString());
    } catch (Refusal gone) {
      return;
    }
    ObjectNode event = JSON.createObjectNode();
    event
        .putObject("metadata")
        .put("generateName", key.name() + ".")
        .put("namespace", key.namespace());
    event.put("type", "Warning").put("reason", "FailedScheduling").put("message", message);
    event
        .putObject("involvedObject")
        .put("kind", "Pod")
        .put("namespace", key.namespace())
        .put("name", key.name());
    objects.create(ResourceKind.EVENTS, event);
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(each -> texts.add(each.asString("")));
    return texts;
  }
}
