package io.gpumem.platform.cluster.fake;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** From paths and verbs to operations. What the stand-in doesn't know it refuses. */
final class Routes {

  /** A real server ends a watch without a timeout after 30 to 60 minutes. */
  private static final Duration DEFAULT_WATCH = Duration.ofMinutes(30);

  private static final Set<String> HEALTH = Set.of("healthz", "livez", "readyz");
  private static final String MERGE_PATCH = "application/merge-patch+json";
  private static final int CREATED = 201;
  private static final int OK = 200;

  private final ObjectStore store;
  private final ApiObjects objects;
  private final ListPages pages;

  Routes(ObjectStore store, ApiObjects objects, ListPages pages) {
    this.store = store;
    this.objects = objects;
    this.pages = pages;
  }

  /** A path below an API group: a collection, an object, or a part of one. */
  private record Target(ResourceKind kind, String namespace, String name, String part) {

    ObjectKey key() {
      return new ObjectKey(kind, namespace, name);
    }

    static Optional<Target> of(List<String> path) {
      boolean core = path.size() > 2 && path.getFirst().equals("api");
      boolean named = path.size() > 3 && path.getFirst().equals("apis");
      if (!(core && path.get(1).equals("v1")) && !(named && path.get(2).equals("v1"))) {
        return Optional.empty();
      }
      String group = core ? "" : path.get(1);
      List<String> rest = path.subList(core ? 2 : 3, path.size());
      boolean spaced = rest.size() > 2 && rest.getFirst().equals("namespaces");
      String namespace = spaced ? rest.get(1) : "";
      List<String> below = spaced ? rest.subList(2, rest.size()) : rest;
      String name = below.size() > 1 ? below.get(1) : "";
      String part = below.size() > 2 ? below.get(2) : "";
      return ResourceKind.find(group, below.getFirst())
          .filter(k -> below.size() <= 3)
          .filter(k -> k.namespaced() ? spaced || below.size() == 1 : !spaced)
          .map(k -> new Target(k, namespace, name, part));
    }
  }

  Reply answer(Call call) {
    if (!call.parameter("dryRun").isEmpty()) {
      throw Refusal.badRequest("this stand-in does no dry run");
    }
    if (call.path().size() == 1 && call.method().equals("GET")) {
      String only = call.path().getFirst();
      if (HEALTH.contains(only)) {
        return new Reply.Text("ok");
      }
      if (only.equals("version")) {
        return new Reply.Whole(OK, version());
      }
    }
    Target target = Target.of(call.path()).orElseThrow(Refusal::unknownPath);
    if (target.name().isEmpty()) {
      return collection(call, target);
    }
    return target.part().isEmpty() ? object(call, target) : part(call, target);
  }

  /** Whether nothing lies at such a path, whatever objects there are. */
  static boolean unknown(String pathAndQuery) {
    String path = pathAndQuery.split("\\?", -1)[0];
    return Target.of(Call.segments(path)).isEmpty();
  }

  private static ObjectNode version() {
    return Json.object()
        .put("major", "1")
        .put("minor", "37")
        .put("gitVersion", "v1.37.0-standin")
        .put("platform", "stand-in");
  }

  private Reply collection(Call call, Target target) {
    return switch (call.method()) {
      case "GET" -> call.flag("watch") ? watch(call, target) : list(call, target);
      case "POST" -> create(call, target);
      default -> throw Refusal.methodNotAllowed();
    };
  }

  private WatchQuery query(Call call, Target target) {
    long seconds = call.number("timeoutSeconds");
    return new WatchQuery(
        target.kind(),
        target.namespace(),
        call.parameter("labelSelector"),
        call.parameter("fieldSelector"),
        call.number("resourceVersion"),
        seconds == 0 ? DEFAULT_WATCH : Duration.ofSeconds(seconds),
        call.flag("allowWatchBookmarks"),
        call.userAgent());
  }

  private Reply watch(Call call, Target target) {
    if (call.flag("sendInitialEvents")) {
      throw Refusal.badRequest("this stand-in has no watch-list");
    }
    WatchQuery query = query(call, target);
    var _ = query.selection();
    return new Reply.Watching(query);
  }

  private Reply list(Call call, Target target) {
    int limit = (int) Math.min(Integer.MAX_VALUE, call.number("limit"));
    String token = call.parameter("continue");
    if (!token.isEmpty()) {
      return new Reply.Whole(OK, pages.next(target.kind(), token, limit));
    }
    ObjectStore.Snapshot now = store.snapshot(target.kind());
    long wanted = call.number("resourceVersion");
    if (wanted > now.revision()) {
      throw new Refusal(
          504,
          "Timeout",
          "Too large resource version: %d, current: %d".formatted(wanted, now.revision()));
    }
    var selection = query(call, target).selection();
    List<ObjectNode> matching = now.objects().stream().filter(selection).toList();
    return new Reply.Whole(OK, pages.first(target.kind(), now.revision(), matching, limit));
  }

  private Reply create(Call call, Target target) {
    ObjectNode wanted = Json.parse(call.body());
    String kind = wanted.path("kind").asString(target.kind().kind());
    if (!kind.equals(target.kind().kind())) {
      throw Refusal.badRequest("the object provided is a " + kind + ", not what the path says");
    }
    if (target.kind().namespaced()) {
      if (target.namespace().isEmpty()) {
        throw Refusal.methodNotAllowed();
      }
      String own = Json.metadata(wanted, "namespace");
      if (!own.isEmpty() && !own.equals(target.namespace())) {
        throw Refusal.badRequest(
            "the namespace of the provided object does not match the namespace sent on the request");
      }
      Json.child(wanted, "metadata").put("namespace", target.namespace());
    }
    if (target.kind() == ResourceKind.EVENTS) {
      checkEvent(wanted, target.namespace());
    }
    return new Reply.Whole(CREATED, objects.create(target.kind(), wanted));
  }

  private static void checkEvent(ObjectNode event, String namespace) {
    String about = event.path("involvedObject").path("namespace").asString("");
    if (!about.equals(namespace) && !(about.isEmpty() && namespace.equals("default"))) {
      throw Refusal.invalid(
          ResourceKind.EVENTS,
          Json.metadata(event, "name"),
          "involvedObject.namespace: Invalid value: \""
              + about
              + "\": does not match event.namespace");
    }
  }

  private Reply object(Call call, Target target) {
    ObjectKey key = target.key();
    return switch (call.method()) {
      case "GET" -> new Reply.Whole(OK, objects.find(key).orElseThrow(() -> Refusal.notFound(key)));
      case "PATCH" -> new Reply.Whole(OK, objects.patch(key, patchBody(call), false));
      case "DELETE" -> new Reply.Whole(OK, objects.delete(key, deletion(call)));
      case "PUT" -> {
        // Nobody of ours may replace a pod or a node: fields that a client doesn't know would go.
        if (target.kind() != ResourceKind.LEASES) {
          throw Refusal.methodNotAllowed();
        }
        yield new Reply.Whole(OK, objects.replace(key, Json.parse(call.body())));
      }
      default -> throw Refusal.methodNotAllowed();
    };
  }

  private Reply part(Call call, Target target) {
    String asked = call.method() + " " + target.part();
    if (asked.equals("PATCH status") && target.kind().hasStatus()) {
      return new Reply.Whole(OK, objects.patch(target.key(), patchBody(call), true));
    }
    if (asked.equals("POST binding") && target.kind() == ResourceKind.PODS) {
      ObjectNode binding = Json.parse(call.body());
      String name = Json.metadata(binding, "name");
      if (!name.isEmpty() && !name.equals(target.name())) {
        throw Refusal.badRequest(
            "name in URL does not match name in Binding object: " + target.name() + ", " + name);
      }
      objects.bind(target.key(), binding);
      return new Reply.Whole(CREATED, success());
    }
    throw target.part().equals("status") || target.part().equals("binding")
        ? Refusal.methodNotAllowed()
        : Refusal.unknownPath();
  }

  private static ObjectNode success() {
    ObjectNode status = Json.object();
    status.put("kind", "Status").put("apiVersion", "v1").putObject("metadata");
    return status.put("status", "Success").put("code", CREATED);
  }

  private static ObjectNode patchBody(Call call) {
    String type = call.contentType().split(";", -1)[0].strip();
    if (!type.equals(MERGE_PATCH)) {
      throw Refusal.unsupportedMediaType(type);
    }
    return Json.parse(call.body());
  }

  private static ApiObjects.Deletion deletion(Call call) {
    JsonNode options = call.body().isBlank() ? Json.object() : Json.parse(call.body());
    JsonNode seconds = options.path("gracePeriodSeconds");
    Optional<Duration> grace = Optional.empty();
    if (seconds.isIntegralNumber()) {
      grace = Optional.of(Duration.ofSeconds(seconds.longValue()));
    } else if (!call.parameter("gracePeriodSeconds").isEmpty()) {
      grace = Optional.of(Duration.ofSeconds(call.number("gracePeriodSeconds")));
    }
    return new ApiObjects.Deletion(grace, options.path("preconditions").path("uid").asString(""));
  }
}
