package io.gpumem.platform.cluster.fake;

import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The operations of the API on objects, with the real server's rules. HTTP requests and in-process
 * callers end here alike. Results are copies. Any thread; a refusal is thrown.
 */
public final class ApiObjects {

  private final ObjectStore store;
  private final InstantSource clock;
  private final RandomGenerator chance;

  /** How many changes objects in memory remember: a simulation reads them after each write. */
  private static final int REMEMBERED_CHANGES = 1_024;

  /**
   * Objects without a server around them, for simulations.
   *
   * @param chance of UIDs and generated names
   */
  public static ApiObjects inMemory(InstantSource clock, RandomGenerator chance) {
    ObjectStore store =
        new ObjectStore(
            REMEMBERED_CHANGES,
            () -> TimeUnit.MILLISECONDS.toNanos(clock.instant().toEpochMilli()));
    return new ApiObjects(store, clock, chance);
  }

  ApiObjects(ObjectStore store, InstantSource clock, RandomGenerator chance) {
    this.store = store;
    this.clock = clock;
    this.chance = chance;
  }

  /** Creates an object; a pod's namespace is {@code default} unless it says another. */
  public ObjectNode create(ResourceKind kind, String json) {
    return create(kind, Json.parse(json));
  }

  /** Creates an object from a tree, which is not changed. */
  public ObjectNode create(ResourceKind kind, ObjectNode wanted) {
    ObjectNode object = wanted.deepCopy();
    object.put("kind", kind.kind()).put("apiVersion", kind.apiVersion());
    ObjectNode metadata = Json.child(object, "metadata");
    if (kind.namespaced() && !metadata.has("namespace")) {
      metadata.put("namespace", "default");
    }
    if (!kind.namespaced()) {
      metadata.remove("namespace");
    }
    String name = Json.metadata(object, "name");
    String stem = Json.metadata(object, "generateName");
    if (name.isEmpty()) {
      if (stem.isEmpty()) {
        throw Refusal.invalid(
            kind, "", "metadata.name: Required value: name or generateName is required");
      }
      name = stem + Names.suffix(chance);
      metadata.put("name", name);
    }
    metadata.put("uid", Names.uid(chance)).put("creationTimestamp", now());
    metadata.remove("deletionTimestamp");
    if (kind == ResourceKind.PODS) {
      PodRules.fillIn(object);
      PodRules.check(object);
    }
    ObjectRules.check(kind, object);
    return store.create(keyOf(kind, object), object).deepCopy();
  }

  /** The object as it is now. */
  public Optional<ObjectNode> find(ObjectKey key) {
    return store.find(key).map(ObjectNode::deepCopy);
  }

  /** All objects of a kind, by namespace and name. */
  public List<ObjectNode> all(ResourceKind kind) {
    return store.snapshot(kind).objects().stream().map(ObjectNode::deepCopy).toList();
  }

  /** The last revision that was written. */
  public long revision() {
    return store.revision();
  }

  /**
   * What was written after that revision.
   *
   * @throws IllegalStateException if that is longer ago than is remembered
   */
  public List<Change> changesAfter(long revision) {
    return switch (store.since(revision)) {
      case ObjectStore.Since.Changes(List<Change> changes, long upTo) -> changes;
      case ObjectStore.Since.Forgotten(long asked, long oldest) ->
          throw new IllegalStateException("expected a revision after " + oldest + " but " + asked);
    };
  }

  /** A merge patch of all but the status. */
  public ObjectNode patch(ObjectKey key, String patch) {
    return patch(key, Json.parse(patch), false);
  }

  /** A merge patch of the status, and of the metadata as the real server allows there. */
  public ObjectNode patchStatus(ObjectKey key, String patch) {
    return patch(key, Json.parse(patch), true);
  }

  ObjectNode patch(ObjectKey key, ObjectNode patch, boolean statusOnly) {
    return store
        .update(
            key,
            before -> {
              checkPreconditions(key, patch, before);
              ObjectNode after = MergePatch.applied(before, patch);
              keepFixed(key.kind(), before, after, statusOnly);
              ObjectRules.check(key.kind(), after);
              return deletedByNow(after) ? Optional.empty() : Optional.of(after);
            })
        .deepCopy();
  }

  /** A whole new object in place of the old (leases only: nobody else may be replaced here). */
  ObjectNode replace(ObjectKey key, ObjectNode wanted) {
    return store
        .update(
            key,
            before -> {
              checkPreconditions(key, wanted, before);
              ObjectNode after = wanted.deepCopy();
              keepFixed(key.kind(), before, after, false);
              ObjectRules.check(key.kind(), after);
              return Optional.of(after);
            })
        .deepCopy();
  }

  private static void checkPreconditions(ObjectKey key, ObjectNode wanted, ObjectNode now) {
    String uid = Json.metadata(wanted, "uid");
    if (!uid.isEmpty() && !uid.equals(Json.metadata(now, "uid"))) {
      throw Refusal.otherUid(key, uid, Json.metadata(now, "uid"));
    }
    String version = Json.metadata(wanted, "resourceVersion");
    if (!version.isEmpty() && !version.equals(Json.metadata(now, "resourceVersion"))) {
      throw Refusal.modified(key);
    }
  }

  /** What a write must not touch, or touches in vain. */
  private static void keepFixed(
      ResourceKind kind, ObjectNode before, ObjectNode after, boolean statusOnly) {
    ObjectNode metadata = Json.child(after, "metadata");
    for (String field :
        List.of(
            "name",
            "namespace",
            "uid",
            "creationTimestamp",
            "resourceVersion",
            "deletionTimestamp",
            "deletionGracePeriodSeconds")) {
      restore(before.path("metadata"), metadata, field);
    }
    restore(before, after, "kind");
    restore(before, after, "apiVersion");
    if (!kind.hasStatus()) {
      return;
    }
    restore(before, after, statusOnly ? "spec" : "status");
    if (kind == ResourceKind.PODS && !after.path("spec").equals(before.path("spec"))) {
      throw Refusal.invalid(
          kind,
          Json.metadata(before, "name"),
          "spec: Forbidden: pod updates may not change fields other than a few that this stand-in"
              + " doesn't know");
    }
  }

  private static void restore(JsonNode from, ObjectNode to, String field) {
    if (from.has(field)) {
      to.set(field, from.get(field));
    } else {
      to.remove(field);
    }
  }

  /** Deletes a pod as kubectl does without options. */
  public ObjectNode deletePod(String namespace, String name) {
    return delete(ObjectKey.pod(namespace, name), Deletion.GRACEFUL);
  }

  /** Removes the object at once, as a kubelet does when the last container has ended. */
  public ObjectNode remove(ObjectKey key) {
    return delete(key, Deletion.AT_ONCE);
  }

  /**
   * How an object is to be deleted.
   *
   * @param grace how long a bound pod may take, empty for what its spec says
   * @param uid of the only object meant, empty for any
   */
  record Deletion(Optional<Duration> grace, String uid) {
    static final Deletion GRACEFUL = new Deletion(Optional.empty(), "");
    static final Deletion AT_ONCE = new Deletion(Optional.of(Duration.ZERO), "");
  }

  ObjectNode delete(ObjectKey key, Deletion deletion) {
    return store
        .update(
            key,
            before -> {
              String uid = Json.metadata(before, "uid");
              if (!deletion.uid().isEmpty() && !deletion.uid().equals(uid)) {
                throw Refusal.otherUid(key, deletion.uid(), uid);
              }
              long grace = graceSeconds(key.kind(), before, deletion);
              ObjectNode metadata = Json.child(before, "metadata");
              long granted = metadata.path("deletionGracePeriodSeconds").asLong(Long.MAX_VALUE);
              if (grace < granted) {
                metadata.put("deletionGracePeriodSeconds", grace);
                metadata.put("deletionTimestamp", now(Duration.ofSeconds(grace)));
              }
              return deletedByNow(before) ? Optional.empty() : Optional.of(before);
            })
        .deepCopy();
  }

  /** Only a bound pod that still runs has anybody to wait for. */
  private static long graceSeconds(ResourceKind kind, ObjectNode object, Deletion deletion) {
    String phase = object.path("status").path("phase").asString("");
    boolean nobodyToWaitFor =
        kind != ResourceKind.PODS
            || object.path("spec").path("nodeName").asString("").isEmpty()
            || phase.equals("Succeeded")
            || phase.equals("Failed");
    if (nobodyToWaitFor) {
      return 0;
    }
    return deletion
        .grace()
        .map(Duration::toSeconds)
        .orElse(object.path("spec").path("terminationGracePeriodSeconds").asLong(0));
  }

  private static boolean deletedByNow(ObjectNode object) {
    return Json.deleting(object)
        && object.path("metadata").path("deletionGracePeriodSeconds").asLong(1) == 0
        && object.path("metadata").path("finalizers").isEmpty();
  }

  /**
   * Binds a pod: node name, annotations (the Binding's win) and condition in one write
   * (k8s-contract D.5). The annotation limit is checked here too; the real server checks it on the
   * next update.
   */
  public void bind(ObjectKey key, ObjectNode binding) {
    String node = binding.path("target").path("name").asString("");
    String kind = binding.path("target").path("kind").asString("Node");
    if (!kind.equals("Node") || node.isEmpty()) {
      throw new Refusal(
          422, "Invalid", "Binding \"" + key.name() + "\" is invalid: target: Required value");
    }
    ObjectNode _ =
        store.update(
            key,
            pod -> {
              checkPreconditions(key, binding, pod);
              checkBindable(key.name(), pod);
              Json.child(pod, "spec").put("nodeName", node);
              ObjectNode metadata = Json.child(pod, "metadata");
              for (String field : List.of("annotations", "labels")) {
                if (binding.path("metadata").get(field) instanceof ObjectNode given) {
                  MergePatch.apply(Json.child(metadata, field), given);
                }
              }
              ObjectRules.check(ResourceKind.PODS, pod);
              scheduled(Json.child(pod, "status"));
              return Optional.of(pod);
            });
  }

  private static void checkBindable(String name, ObjectNode pod) {
    String resource = "pods/binding";
    if (Json.deleting(pod)) {
      throw Refusal.conflict(
          resource, name, "pod " + name + " is being deleted, cannot be assigned to a host");
    }
    String node = pod.path("spec").path("nodeName").asString("");
    if (!node.isEmpty()) {
      throw Refusal.conflict(
          resource, name, "pod %s is already assigned to node \"%s\"".formatted(name, node));
    }
    if (!pod.path("spec").path("schedulingGates").isEmpty()) {
      throw Refusal.conflict(
          resource, name, "pod " + name + " has non-empty .spec.schedulingGates");
    }
  }

  private void scheduled(ObjectNode status) {
    var conditions =
        status.get("conditions") instanceof ArrayNode there ? there : status.putArray("conditions");
    conditions.removeIf(c -> c.path("type").asString("").equals("PodScheduled"));
    conditions
        .addObject()
        .put("type", "PodScheduled")
        .put("status", "True")
        .putNull("lastProbeTime")
        .put("lastTransitionTime", now());
  }

  static ObjectKey keyOf(ResourceKind kind, ObjectNode object) {
    return new ObjectKey(
        kind,
        kind.namespaced() ? Json.metadata(object, "namespace") : "",
        Json.metadata(object, "name"));
  }

  private String now() {
    return now(Duration.ZERO);
  }

  private String now(Duration later) {
    return clock.instant().plus(later).truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
