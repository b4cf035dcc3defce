package io.gpumem.demo.simulation;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.gpumem.platform.cluster.fake.ApiObjects;
import io.gpumem.platform.cluster.fake.Change;
import io.gpumem.platform.cluster.fake.ObjectKey;
import io.gpumem.platform.cluster.fake.Refusal;
import io.gpumem.platform.cluster.fake.ResourceKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The API server: the stand-in's objects and rules, and a feed for whoever watches. */
final class SimApi {

  private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

  private static final Duration AGAIN = Duration.ofMillis(300);

  private final ApiObjects objects;
  private final List<SimFeed<?, ?>> feeds = new ArrayList<>();

  /** Client objects by revision: many watch the same. */
  private final Map<String, HasMetadata> converted = new HashMap<>();

  private long told;
  private long awayUntilNanos;
  private final EventTime time;

  SimApi(EventTime time, Dice dice) {
    this.time = time;
    this.objects =
        ApiObjects.inMemory(() -> Instant.ofEpochMilli(time.wallMillis()), dice.generator());
    this.told = objects.revision();
  }

  /** Nobody can reach it until then. */
  void goAway(long untilNanos) {
    awayUntilNanos = untilNanos;
  }

  boolean isAway() {
    return time.monotonicNanos() < awayUntilNanos;
  }

  void add(SimFeed<?, ?> feed) {
    feeds.add(feed);
  }

  void remove(SimFeed<?, ?> feed) {
    feeds.remove(feed);
  }

  /** Writes, and tells the feeds. */
  <T> T write(Supplier<T> operation) {
    T result = operation.get();
    List<Change> changes = objects.changesAfter(told);
    for (Change change : changes) {
      told = change.revision();
      List.copyOf(feeds).forEach(feed -> feed.offer(change));
    }
    return result;
  }

  ObjectNode create(ResourceKind kind, ObjectNode object) {
    return write(() -> objects.create(kind, object));
  }

  /** A write of somebody who waits for it no longer. */
  void later(Duration after, Runnable write) {
    var unused = time.schedule(after, write);
  }

  /** A merge patch; false when the object is gone. */
  boolean patch(ObjectKey key, ObjectNode patch) {
    return attempt(() -> objects.patch(key, patch.toString()));
  }

  boolean patchStatus(ObjectKey key, ObjectNode patch) {
    return attempt(() -> objects.patchStatus(key, patch.toString()));
  }

  boolean deletePod(ObjectKey key) {
    return attempt(() -> objects.deletePod(key.namespace(), key.name()));
  }

  boolean remove(ObjectKey key) {
    return attempt(() -> objects.remove(key));
  }

  /** Removes the pod of that name, if it is still this one. */
  boolean removePod(String namespace, String name, String uid) {
    ObjectKey key = ObjectKey.pod(namespace, name);
    boolean same =
        find(key)
            .map(pod -> pod.path("metadata").path("uid").asString("").equals(uid))
            .orElse(false);
    return same && remove(key);
  }

  /** Does it now, or when the server is back. */
  void whenThere(Runnable write) {
    if (isAway()) {
      later(AGAIN, () -> whenThere(write));
    } else {
      write.run();
    }
  }

  private boolean attempt(Supplier<ObjectNode> operation) {
    try {
      ObjectNode unused = write(operation);
      return true;
    } catch (Refusal refused) {
      return false;
    }
  }

  /**
   * Makes a Binding.
   *
   * @throws Refusal as the server refuses
   */
  void bind(ObjectKey key, String uid, String node, Map<String, String> annotations) {
    ObjectNode binding = JsonNodeFactory.instance.objectNode();
    ObjectNode metadata = binding.putObject("metadata").put("uid", uid);
    ObjectNode given = metadata.putObject("annotations");
    annotations.forEach(given::put);
    binding.putObject("target").put("kind", "Node").put("name", node);
    boolean unused =
        write(
            () -> {
              objects.bind(key, binding);
              return true;
            });
  }

  Optional<ObjectNode> find(ObjectKey key) {
    return objects.find(key);
  }

  List<ObjectNode> all(ResourceKind kind) {
    return objects.all(kind);
  }

  Pod pod(JsonNode object) {
    return converted(object, Pod.class);
  }

  Node node(JsonNode object) {
    return converted(object, Node.class);
  }

  private <T extends HasMetadata> T converted(JsonNode object, Class<T> type) {
    JsonNode metadata = object.path("metadata");
    String key = type.getSimpleName() + metadata.path("resourceVersion").asString("");
    return type.cast(converted.computeIfAbsent(key, k -> SERIALIZATION.convertValue(object, type)));
  }
}
