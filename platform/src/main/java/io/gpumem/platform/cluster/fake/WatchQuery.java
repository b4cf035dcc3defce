package io.gpumem.platform.cluster.fake;

import java.time.Duration;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/**
 * A watch as it was asked for.
 *
 * @param namespace empty for all
 * @param from the resource version after which changes are wanted; 0 for the present state first
 */
public record WatchQuery(
    ResourceKind kind,
    String namespace,
    String labelSelector,
    String fieldSelector,
    long from,
    Duration timeout,
    boolean bookmarks,
    String userAgent) {

  Predicate<JsonNode> selection() {
    return Selectors.labels(labelSelector)
        .and(Selectors.fields(kind, fieldSelector))
        .and(o -> namespace.isEmpty() || namespace.equals(Json.metadata(o, "namespace")));
  }
}
