package io.gpumem.extender.http.fake;

import io.gpumem.core.demand.Phase;
import io.gpumem.core.facts.Decoded;
import io.gpumem.core.facts.PodFacts;
import io.gpumem.core.units.PodName;
import io.gpumem.core.units.PodUid;
import io.gpumem.core.wire.Keys;
import io.gpumem.core.wire.PodReader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A pod as the scheduler keeps it.
 *
 * @param units its request of our resource over its phases, zero without one
 * @param interested whether a container names our resource at all: such a pod goes to the extender
 * @param node where it is bound, empty while it waits
 */
record SchedulerPod(
    String uid,
    PodName name,
    int priority,
    Instant created,
    long units,
    boolean interested,
    String node,
    JsonNode json) {

  /** kube-scheduler's PrioritySort, with the name against ties. */
  static final Comparator<SchedulerPod> QUEUE_ORDER =
      Comparator.comparingInt(SchedulerPod::priority)
          .reversed()
          .thenComparing(SchedulerPod::created)
          .thenComparing(SchedulerPod::name);

  static SchedulerPod of(JsonNode pod, Keys keys) {
    JsonNode metadata = pod.path("metadata");
    JsonNode spec = pod.path("spec");
    var name = new PodName(metadata.path("namespace").asString(), metadata.path("name").asString());
    String uid = metadata.path("uid").asString();
    int priority = spec.path("priority").asInt(0);
    Instant created =
        Instant.parse(metadata.path("creationTimestamp").asString(Instant.EPOCH.toString()));
    return new SchedulerPod(
        uid,
        name,
        priority,
        created,
        units(pod, uid, name, keys),
        isInterested(spec, keys),
        spec.path("nodeName").asString(""),
        pod);
  }

  private static long units(JsonNode pod, String uid, PodName name, Keys keys) {
    List<PodReader.SpecContainer> containers = new ArrayList<>();
    for (JsonNode init : pod.path("spec").path("initContainers")) {
      boolean sidecar = init.path("restartPolicy").asString("").equals("Always");
      containers.add(container(init, sidecar ? Phase.SIDECAR : Phase.INIT, keys));
    }
    for (JsonNode app : pod.path("spec").path("containers")) {
      containers.add(container(app, Phase.APP, keys));
    }
    var identity =
        new PodReader.Identity(new PodUid(uid), name, Optional.empty(), Optional.empty(), 0, 0);
    Decoded<PodFacts> facts = new PodReader(keys).read(identity, Map.of(), containers);
    return facts.understood().map(known -> known.demand().footprint()).orElse(0L);
  }

  private static PodReader.SpecContainer container(JsonNode container, Phase phase, Keys keys) {
    JsonNode limit = container.path("resources").path("limits").path(keys.resource());
    return new PodReader.SpecContainer(
        container.path("name").asString(),
        phase,
        limit.isMissingNode() ? Optional.empty() : Optional.of(limit.asString()));
  }

  /** In requests or limits, whatever the amount, of any container (extender.go IsInterested). */
  private static boolean isInterested(JsonNode spec, Keys keys) {
    for (String field : List.of("initContainers", "containers")) {
      for (JsonNode container : spec.path(field)) {
        JsonNode resources = container.path("resources");
        if (resources.path("limits").has(keys.resource())
            || resources.path("requests").has(keys.resource())) {
          return true;
        }
      }
    }
    return false;
  }

  boolean hasEnded() {
    String phase = json.path("status").path("phase").asString("");
    return phase.equals("Succeeded") || phase.equals("Failed");
  }

  boolean isPendingFor(String scheduler) {
    return node.isEmpty()
        && !hasEnded()
        && !json.path("metadata").has("deletionTimestamp")
        && json.path("spec").path("schedulingGates").isEmpty()
        && json.path("spec").path("schedulerName").asString(scheduler).equals(scheduler);
  }

  Map<String, String> nodeSelector() {
    Map<String, String> selector = new HashMap<>();
    json.path("spec")
        .path("nodeSelector")
        .forEachEntry((key, value) -> selector.put(key, value.asString("")));
    return selector;
  }
}
