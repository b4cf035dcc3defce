package io.gpumem.platform.cluster.fake;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What the real server demands of the metadata of any object (k8s-contract E.1). */
final class ObjectRules {

  private static final int ANNOTATIONS_LIMIT = 262_144;
  private static final int LONGEST_NAME = 253;
  private static final int LONGEST_KEY_NAME = 63;

  private static final Pattern SUBDOMAIN =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
  private static final Pattern WORD =
      Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");

  private ObjectRules() {}

  static void check(ResourceKind kind, ObjectNode object) {
    String name = Json.metadata(object, "name");
    if (name.length() > LONGEST_NAME || !SUBDOMAIN.matcher(name).matches()) {
      throw Refusal.invalid(
          kind,
          name,
          "metadata.name: Invalid value: \"" + name + "\": must be a lowercase RFC 1123 subdomain");
    }
    JsonNode metadata = object.path("metadata");
    checkAnnotations(kind, name, metadata.path("annotations"));
    checkLabels(kind, name, metadata.path("labels"));
  }

  private static void checkAnnotations(ResourceKind kind, String name, JsonNode annotations) {
    long total = 0;
    for (var entry : annotations.properties()) {
      checkKey(kind, name, "metadata.annotations", entry.getKey());
      if (!entry.getValue().isString()) {
        throw Refusal.badRequest("annotation " + entry.getKey() + " is no string");
      }
      total += length(entry.getKey()) + length(entry.getValue().stringValue());
    }
    if (total > ANNOTATIONS_LIMIT) {
      throw Refusal.invalid(
          kind,
          name,
          "metadata.annotations: Too long: may not be more than " + ANNOTATIONS_LIMIT + " bytes");
    }
  }

  private static long length(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static void checkLabels(ResourceKind kind, String name, JsonNode labels) {
    for (var entry : labels.properties()) {
      checkKey(kind, name, "metadata.labels", entry.getKey());
      String value = entry.getValue().asString("\0");
      if (!value.isEmpty() && !WORD.matcher(value).matches()) {
        throw Refusal.invalid(
            kind,
            name,
            "metadata.labels: Invalid value: \""
                + value
                + "\": a valid label must be an empty string or at most 63 characters of"
                + " alphanumerics, '-', '_' or '.'");
      }
    }
  }

  private static void checkKey(ResourceKind kind, String name, String field, String key) {
    int slash = key.indexOf('/');
    String prefix = slash < 0 ? "" : key.substring(0, slash);
    String word = key.substring(slash + 1);
    boolean prefixed =
        slash < 0 || (prefix.length() <= LONGEST_NAME && SUBDOMAIN.matcher(prefix).matches());
    if (!prefixed || word.length() > LONGEST_KEY_NAME || !WORD.matcher(word).matches()) {
      throw Refusal.invalid(
          kind, name, field + ": Invalid value: \"" + key + "\": must be a qualified name");
    }
  }
}
