package io.gpumem.platform.cluster.fake;

import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Defaults and validation of new pods: what matters to scheduling, and the rules of extended
 * resources (k8s-contract C). It doesn't know the rest of the pod.
 */
final class PodRules {

  private static final long DEFAULT_GRACE_SECONDS = 30;

  private PodRules() {}

  /** Fills in what the real server would. The status is the server's: the caller's is dropped. */
  static void fillIn(ObjectNode pod) {
    ObjectNode spec = Json.child(pod, "spec");
    putIfAbsent(spec, "restartPolicy", "Always");
    putIfAbsent(spec, "schedulerName", "default-scheduler");
    if (!spec.has("terminationGracePeriodSeconds")) {
      spec.put("terminationGracePeriodSeconds", DEFAULT_GRACE_SECONDS);
    }
    if (!spec.has("priority")) {
      spec.put("priority", 0);
    }
    forEachContainer(spec, PodRules::defaultRequests);
    pod.set("status", Json.object().put("phase", "Pending"));
  }

  private static void putIfAbsent(ObjectNode object, String field, String value) {
    if (!object.has(field)) {
      object.put(field, value);
    }
  }

  private static void defaultRequests(String path, ObjectNode container) {
    if (container.path("resources") instanceof ObjectNode resources
        && resources.path("limits") instanceof ObjectNode limits) {
      ObjectNode requests = Json.child(resources, "requests");
      limits.forEachEntry(
          (name, limit) -> {
            if (!requests.has(name)) {
              requests.set(name, limit);
            }
          });
    }
  }

  static void check(ObjectNode pod) {
    String name = Json.metadata(pod, "name");
    JsonNode containers = pod.path("spec").path("containers");
    if (!containers.isArray() || containers.isEmpty()) {
      throw Refusal.invalid(ResourceKind.PODS, name, "spec.containers: Required value");
    }
    Set<String> names = new HashSet<>();
    forEachContainer(
        (ObjectNode) pod.path("spec"),
        (path, container) -> {
          String own = container.path("name").asString("");
          if (own.isEmpty()) {
            throw Refusal.invalid(ResourceKind.PODS, name, path + ".name: Required value");
          }
          if (!names.add(own)) {
            throw Refusal.invalid(
                ResourceKind.PODS, name, path + ".name: Duplicate value: \"" + own + "\"");
          }
          checkResources(name, path + ".resources", container.path("resources"));
        });
  }

  private static void checkResources(String pod, String path, JsonNode resources) {
    for (String field : new String[] {"limits", "requests"}) {
      for (var entry : resources.path(field).properties()) {
        BigDecimal amount = amount(entry.getValue());
        String where = path + "." + field + "[" + entry.getKey() + "]";
        String shown = entry.getValue().asString("");
        if (amount.signum() < 0) {
          throw Refusal.invalid(
              ResourceKind.PODS,
              pod,
              where + ": Invalid value: \"" + shown + "\": must be greater than or equal to 0");
        }
        if (isExtended(entry.getKey()) && amount.stripTrailingZeros().scale() > 0) {
          throw Refusal.invalid(
              ResourceKind.PODS,
              pod,
              where + ": Invalid value: \"" + shown + "\": must be an integer");
        }
      }
    }
    for (var request : resources.path("requests").properties()) {
      if (isExtended(request.getKey())) {
        checkEqual(pod, path, request.getKey(), request.getValue(), resources);
      }
    }
  }

  /** Extended resources can't be overcommitted. */
  private static void checkEqual(
      String pod, String path, String resource, JsonNode request, JsonNode resources) {
    JsonNode limit = resources.path("limits").path(resource);
    if (limit.isMissingNode()) {
      throw Refusal.invalid(
          ResourceKind.PODS,
          pod,
          path + ".limits: Required value: Limit must be set for non overcommitable resources");
    }
    if (amount(limit).compareTo(amount(request)) != 0) {
      throw Refusal.invalid(
          ResourceKind.PODS,
          pod,
          "%s.requests: Invalid value: \"%s\": must be equal to %s limit of %s"
              .formatted(path, request.asString(""), resource, limit.asString("")));
    }
  }

  private static boolean isExtended(String resource) {
    return resource.contains("/") && !resource.contains("kubernetes.io/");
  }

  private static BigDecimal amount(JsonNode quantity) {
    String text = quantity.asString("");
    try {
      return Quantity.getAmountInBytes(new Quantity(text));
    } catch (RuntimeException notOne) {
      throw Refusal.badRequest("quantities must match the regular expression, found: " + text);
    }
  }

  private interface ContainerVisitor {
    void visit(String path, ObjectNode container);
  }

  private static void forEachContainer(ObjectNode spec, ContainerVisitor visitor) {
    for (String field : new String[] {"initContainers", "containers"}) {
      int i = 0;
      for (JsonNode container : spec.path(field)) {
        if (container instanceof ObjectNode object) {
          visitor.visit("spec.%s[%d]".formatted(field, i), object);
        }
        i++;
      }
    }
  }
}
