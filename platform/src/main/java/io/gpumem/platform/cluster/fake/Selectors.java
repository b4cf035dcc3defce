package io.gpumem.platform.cluster.fake;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Label and field selectors as predicates over objects. */
final class Selectors {

  /** The fields by which the real server lets each kind be selected, as far as we need them. */
  private static final Map<ResourceKind, Set<String>> FIELDS =
      Map.of(
          ResourceKind.PODS,
          Set.of("spec.nodeName", "spec.schedulerName", "spec.restartPolicy", "status.phase"),
          ResourceKind.NODES,
          Set.of("spec.unschedulable"),
          ResourceKind.EVENTS,
          Set.of(
              "involvedObject.kind",
              "involvedObject.namespace",
              "involvedObject.name",
              "involvedObject.uid",
              "reason",
              "type"),
          ResourceKind.LEASES,
          Set.of());

  private static final Pattern SET_BASED = Pattern.compile("(\\S+)\\s+(in|notin)\\s*\\(([^)]*)\\)");
  private static final Pattern EQUALITY = Pattern.compile("([^=!]+?)\\s*(==|!=|=)\\s*([^=!]*)");
  private static final Pattern KEY = Pattern.compile("!?[A-Za-z0-9][-A-Za-z0-9_./]*");

  private Selectors() {}

  static Predicate<JsonNode> labels(String selector) {
    return split(selector).stream().map(Selectors::label).reduce(object -> true, Predicate::and);
  }

  private static Predicate<JsonNode> label(String term) {
    Matcher set = SET_BASED.matcher(term);
    if (set.matches()) {
      Set<String> values =
          Arrays.stream(set.group(3).split(",", -1)).map(String::strip).collect(Collectors.toSet());
      boolean in = set.group(2).equals("in");
      return object -> {
        JsonNode value = labelOf(object, set.group(1));
        return value.isMissingNode() ? !in : values.contains(value.asString("")) == in;
      };
    }
    Matcher equality = EQUALITY.matcher(term);
    if (equality.matches()) {
      boolean equal = !equality.group(2).equals("!=");
      return object ->
          labelOf(object, equality.group(1)).asString("\0").equals(equality.group(3)) == equal;
    }
    if (!KEY.matcher(term).matches()) {
      throw Refusal.badRequest("unable to parse requirement: " + term);
    }
    return term.startsWith("!")
        ? object -> labelOf(object, term.substring(1)).isMissingNode()
        : object -> !labelOf(object, term).isMissingNode();
  }

  private static JsonNode labelOf(JsonNode object, String key) {
    return object.path("metadata").path("labels").path(key);
  }

  static Predicate<JsonNode> fields(ResourceKind kind, String selector) {
    return split(selector).stream()
        .map(term -> field(kind, term))
        .reduce(object -> true, Predicate::and);
  }

  private static Predicate<JsonNode> field(ResourceKind kind, String term) {
    Matcher equality = EQUALITY.matcher(term);
    if (!equality.matches()) {
      throw Refusal.badRequest("invalid selector: '" + term + "'; can't understand it");
    }
    String field = equality.group(1);
    boolean known =
        field.equals("metadata.name")
            || (field.equals("metadata.namespace") && kind.namespaced())
            || FIELDS.getOrDefault(kind, Set.of()).contains(field);
    if (!known) {
      throw Refusal.badRequest("field label not supported: " + field);
    }
    boolean equal = !equality.group(2).equals("!=");
    String[] path = field.split("\\.", -1);
    return object -> {
      JsonNode value = object;
      for (String step : path) {
        value = value.path(step);
      }
      return value.asString("").equals(equality.group(3)) == equal;
    };
  }

  /** At commas, but not at those within parentheses. */
  private static List<String> split(String selector) {
    List<String> terms = new ArrayList<>();
    for (String part : selector.split(",(?![^(]*\\))", -1)) {
      if (!part.isBlank()) {
        terms.add(part.strip());
      }
    }
    return terms;
  }
}
