package io.gpumem.platform.cluster.fake;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** JSON merge patch, RFC 7386. */
final class MergePatch {

  private MergePatch() {}

  /**
   * Changes the target in place: null removes a field, an object goes deeper, all else replaces.
   */
  static void apply(ObjectNode target, ObjectNode patch) {
    patch.forEachEntry(
        (field, value) -> {
          if (value.isNull()) {
            target.remove(field);
          } else if (value instanceof ObjectNode inner) {
            apply(Json.child(target, field), inner);
          } else {
            target.set(field, value.deepCopy());
          }
        });
  }

  /** A patched copy. */
  static ObjectNode applied(JsonNode target, ObjectNode patch) {
    ObjectNode copy = target instanceof ObjectNode object ? object.deepCopy() : Json.object();
    apply(copy, patch);
    return copy;
  }
}
