package io.gpumem.platform.cluster.fake;

import java.util.Optional;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One write, as the history keeps it.
 *
 * @param after the object with this revision; for a deletion its last state, with this revision
 * @param atNanos when it happened
 */
public record Change(
    long revision,
    ResourceKind kind,
    Optional<ObjectNode> before,
    ObjectNode after,
    boolean deleted,
    long atNanos) {

  /** An event of a watch. */
  public record Shown(String type, ObjectNode object) {}

  /**
   * What a watch with this selection shows of it. As on a real server, an object that leaves the
   * selection is shown as deleted, in its last state within it.
   */
  public Optional<Shown> shownTo(Predicate<JsonNode> selection) {
    boolean was = before.filter(selection).isPresent();
    boolean is = !deleted && selection.test(after);
    if (is) {
      return Optional.of(new Shown(was ? "MODIFIED" : "ADDED", after));
    }
    if (!was) {
      return Optional.empty();
    }
    ObjectNode last = deleted ? after : before.orElseThrow().deepCopy();
    Json.child(last, "metadata").put("resourceVersion", Long.toString(revision));
    return Optional.of(new Shown("DELETED", last));
  }
}
