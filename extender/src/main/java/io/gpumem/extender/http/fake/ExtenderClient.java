package io.gpumem.extender.http.fake;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The scheduler's side of the extender protocol (kube-scheduler extender.go of 1.37, with {@code
 * nodeCacheCapable: true}): capitalised keys, nulls for what is not sent, only a 200 is read, keys
 * of the answer in any case, and no mercy with an answer that is not right.
 */
final class ExtenderClient implements AutoCloseable {

  /** An answer that the scheduler takes for an error. */
  static final class ExtenderException extends Exception {
    private static final long serialVersionUID = 1;

    ExtenderException(String message) {
      super(message);
    }
  }

  /** What filter said of the nodes. */
  record Answer(List<String> passed, Map<String, String> reasons) {}

  private final ObjectMapper json = JsonMapper.builder().build();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI base;
  private final Duration timeout;

  ExtenderClient(URI base, Duration timeout) {
    this.base = base;
    this.timeout = timeout;
  }

  Answer filter(JsonNode pod, List<String> names) throws ExtenderException, InterruptedException {
    JsonNode answer = call("filter", args(pod, names));
    String error = field(answer, "Error").asString("");
    if (!error.isEmpty()) {
      throw new ExtenderException(error);
    }
    List<String> passed = new ArrayList<>();
    for (JsonNode name : field(answer, "NodeNames")) {
      if (!names.contains(name.asString())) {
        throw new ExtenderException(
            "extender claims a filtered node %s which is not found in the input node list"
                .formatted(name));
      }
      passed.add(name.asString());
    }
    Map<String, String> reasons = new HashMap<>();
    for (String map : List.of("FailedNodes", "FailedAndUnresolvableNodes")) {
      field(answer, map).forEachEntry((node, why) -> reasons.put(node, why.asString()));
    }
    return new Answer(passed, reasons);
  }

  /**
   * Scores by node; like the scheduler it takes whole numbers only, and none at all on an error.
   */
  Map<String, Long> prioritize(JsonNode pod, List<String> names) throws InterruptedException {
    Map<String, Long> scores = new HashMap<>();
    try {
      for (JsonNode each : call("prioritize", args(pod, names))) {
        JsonNode score = field(each, "Score");
        if (!score.isIntegralNumber()) {
          return Map.of();
        }
        scores.put(field(each, "Host").asString(), score.asLong());
      }
    } catch (ExtenderException ignoredByTheScheduler) {
      return Map.of();
    }
    return scores;
  }

  void bind(SchedulerPod pod, String node) throws ExtenderException, InterruptedException {
    ObjectNode args =
        json.createObjectNode()
            .put("PodName", pod.name().name())
            .put("PodNamespace", pod.name().namespace())
            .put("PodUID", pod.uid())
            .put("Node", node);
    String error = field(call("bind", args), "Error").asString("");
    if (!error.isEmpty()) {
      throw new ExtenderException(error);
    }
  }

  private ObjectNode args(JsonNode pod, List<String> names) {
    ObjectNode args = json.createObjectNode();
    ObjectNode sent = pod.deepCopy().asObject();
    sent.remove(List.of("kind", "apiVersion"));
    if (sent.path("metadata") instanceof ObjectNode metadata) {
      metadata.remove("managedFields");
    }
    args.set("Pod", sent);
    args.putNull("Nodes");
    ArrayNode list = args.putArray("NodeNames");
    names.forEach(list::add);
    return args;
  }

  private JsonNode call(String verb, ObjectNode args)
      throws ExtenderException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + "/" + verb))
            .timeout(timeout)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(args.toString()))
            .build();
    try {
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new ExtenderException(
            "failed %s with extender at URL %s, code %d"
                .formatted(verb, base, response.statusCode()));
      }
      return json.readTree(response.body());
    } catch (IOException | JacksonException e) {
      throw new ExtenderException("Post \"" + request.uri() + "\": " + e);
    }
  }

  /** Go's decoder finds a field in any case. */
  private static JsonNode field(JsonNode object, String name) {
    JsonNode found = object.path(name);
    if (found.isMissingNode()) {
      for (Map.Entry<String, JsonNode> each : Set.copyOf(object.properties())) {
        if (each.getKey().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
          return each.getValue();
        }
      }
    }
    return found;
  }

  @Override
  public void close() {
    http.shutdownNow();
    http.close();
  }
}
