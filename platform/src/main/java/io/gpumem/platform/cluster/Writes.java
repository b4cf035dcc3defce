package io.gpumem.platform.cluster;

import io.fabric8.kubernetes.api.model.Binding;
import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Bindings and patches, and what their answers mean. */
final class Writes {

  private static final int CONFLICT = 409;
  private static final int FIRST_SERVER_ERROR = 500;

  private final ApiCalls calls;
  private final Reads reads;
  private final KubernetesSerialization serialization;
  private final Ticks ticks;

  Writes(ApiCalls calls, Reads reads, KubernetesSerialization serialization, Ticks ticks) {
    this.calls = calls;
    this.reads = reads;
    this.serialization = serialization;
    this.ticks = ticks;
  }

  BindOutcome bind(PodRef pod, String node, Map<String, String> annotations, Duration deadline) {
    long begun = ticks.now();
    String path = Reads.podPath(pod.namespace(), pod.name()) + "/binding";
    String body = serialization.asJson(binding(pod, node, annotations));
    return switch (calls.call(ApiRequest.post(path, body), deadline)) {
      case Answer.Unreached(String why) -> new BindOutcome.Unreached(why);
      case Answer.Lost(String why) -> new BindOutcome.Unknown(why);
      case Answer.Answered answer when answer.success() -> new BindOutcome.Bound();
      case Answer.Answered answer -> {
        ApiStatus status = answer.status();
        if (status.objectNotFound()) {
          yield new BindOutcome.Gone(status.text());
        }
        if (status.code() == CONFLICT) {
          yield conflict(pod, status, deadline.minus(ticks.since(begun)));
        }
        yield status.code() >= FIRST_SERVER_ERROR
            ? new BindOutcome.Unknown(status.text())
            : new BindOutcome.Refused(status.code(), status.message());
      }
    };
  }

  /**
   * A conflict has four causes (k8s-contract D.5): bound already, another UID, being deleted,
   * gated. Their texts are no contract, so the pod itself is asked.
   */
  private BindOutcome conflict(PodRef pod, ApiStatus status, Duration left) {
    if (!left.isPositive()) {
      return new BindOutcome.Unknown(status.text() + "; no time left to read the pod");
    }
    return switch (reads.pod(pod.namespace(), pod.name(), Optional::of, left)) {
      case Reading.Absent<Pod>() -> new BindOutcome.Gone(status.text());
      case Reading.Unread<Pod>(String why) ->
          new BindOutcome.Unknown(status.text() + "; pod not read: " + why);
      case Reading.Found<Pod>(Pod now) when !pod.uid().equals(now.getMetadata().getUid()) ->
          new BindOutcome.Gone(status.text());
      case Reading.Found<Pod>(Pod now) -> {
        String node = now.getSpec() == null ? null : now.getSpec().getNodeName();
        Map<String, String> found = now.getMetadata().getAnnotations();
        yield node == null || node.isEmpty()
            ? new BindOutcome.Refused(status.code(), status.message())
            : new BindOutcome.AlreadyBound(node, found == null ? Map.of() : found);
      }
    };
  }

  private static Binding binding(PodRef pod, String node, Map<String, String> annotations) {
    return new BindingBuilder()
        .withNewMetadata()
        .withName(pod.name())
        .withNamespace(pod.namespace())
        .withUid(pod.uid())
        .withAnnotations(annotations)
        .endMetadata()
        .withNewTarget()
        .withApiVersion("v1")
        .withKind("Node")
        .withName(node)
        .endTarget()
        .build();
  }

  PatchOutcome patchNode(
      String node,
      Map<String, Optional<String>> annotations,
      Map<String, Optional<String>> labels,
      Duration deadline) {
    ObjectNode body = Json.MAPPER.createObjectNode();
    ObjectNode metadata = body.putObject("metadata");
    put(metadata, "annotations", annotations);
    put(metadata, "labels", labels);
    ApiRequest request = ApiRequest.mergePatch(Reads.nodePath(node), body.toString());
    return switch (calls.call(request, deadline)) {
      case Answer.Unreached(String why) -> new PatchOutcome.Unreached(why);
      case Answer.Lost(String why) -> new PatchOutcome.Unknown(why);
      case Answer.Answered answer when answer.success() -> new PatchOutcome.Patched();
      case Answer.Answered answer -> {
        ApiStatus status = answer.status();
        if (status.objectNotFound()) {
          yield new PatchOutcome.Gone(status.text());
        }
        yield status.code() >= FIRST_SERVER_ERROR
            ? new PatchOutcome.Unknown(status.text())
            : new PatchOutcome.Refused(status.code(), status.message());
      }
    };
  }

  private static void put(ObjectNode metadata, String field, Map<String, Optional<String>> keys) {
    if (keys.isEmpty()) {
      return;
    }
    ObjectNode values = metadata.putObject(field);
    keys.forEach(
        (key, value) -> value.ifPresentOrElse(v -> values.put(key, v), () -> values.putNull(key)));
  }
}
