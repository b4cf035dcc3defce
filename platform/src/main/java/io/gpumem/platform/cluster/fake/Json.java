package io.gpumem.platform.cluster.fake;

import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** JSON trees, and the fields that every object has. */
final class Json {

  static final JsonMapper MAPPER = JsonMapper.builder().build();

  private Json() {}

  static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  static ObjectNode object(Map<String, ?> fields) {
    return MAPPER.valueToTree(fields);
  }

  static ObjectNode parse(String text) {
    try {
      if (MAPPER.readTree(text) instanceof ObjectNode object) {
        return object;
      }
    } catch (JacksonException notJson) {
      throw Refusal.badRequest("the body is no JSON: " + notJson.getOriginalMessage());
    }
    throw Refusal.badRequest("the body is no JSON object");
  }

  /** The child object of this name, made when it is absent. */
  static ObjectNode child(ObjectNode parent, String name) {
    return parent.get(name) instanceof ObjectNode there ? there : parent.putObject(name);
  }

  static String metadata(JsonNode object, String field) {
    return object.path("metadata").path(field).asString("");
  }

  static boolean deleting(JsonNode object) {
    return object.path("metadata").hasNonNull("deletionTimestamp");
  }
}
