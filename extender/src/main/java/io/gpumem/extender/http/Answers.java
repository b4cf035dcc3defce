package io.gpumem.extender.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.gpumem.core.placement.Refusal;
import io.gpumem.extender.http.ExtenderArgs.RawNode;
import io.gpumem.extender.verdict.Filtered;
import java.io.ByteArrayOutputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Writes the answers to the scheduler, in the field names of its Go types. */
final class Answers {

  /** The scheduler's answers to 5,000 names are some 100 KB; the buffer grows to that. */
  private static final int FIRST_BUFFER = 8 * 1024;

  private static final JsonFactory JSON = new JsonFactory();

  private Answers() {}

  /**
   * The answer of filter. {@code NodeNames} is always there: without it and without {@code Nodes}
   * the scheduler would take the answer for "no node", without an error.
   *
   * @param body the request's, in which the nodes lie when they came whole
   */
  static byte[] filter(Filtered filtered, Optional<List<RawNode>> nodes, byte[] body) {
    return write(
        out -> {
          out.writeStartObject();
          out.writeName("Nodes");
          nodes.ifPresentOrElse(
              whole -> nodes(whole, filtered.passed(), body, out), out::writeNull);
          out.writeName("NodeNames");
          out.writeStartArray();
          filtered.passed().forEach(out::writeString);
          out.writeEndArray();
          failed("FailedNodes", filtered.failed(), out);
          failed("FailedAndUnresolvableNodes", filtered.unresolvable(), out);
          out.writeStringProperty("Error", "");
          out.writeEndObject();
        });
  }

  private static void failed(String name, Map<String, Refusal> nodes, JsonGenerator out) {
    out.writeName(name);
    out.writeStartObject();
    nodes.forEach((node, why) -> out.writeStringProperty(node, why.text()));
    out.writeEndObject();
  }

  private static void nodes(
      List<RawNode> nodes, List<String> passed, byte[] body, JsonGenerator out) {
    Set<String> kept = new HashSet<>(passed);
    out.writeStartObject();
    out.writeName("metadata");
    out.writeStartObject();
    out.writeEndObject();
    out.writeName("items");
    out.writeStartArray();
    for (RawNode node : nodes) {
      if (kept.contains(node.name())) {
        out.writeRawValue(new String(body, node.from(), node.to() - node.from(), UTF_8));
      }
    }
    out.writeEndArray();
    out.writeEndObject();
  }

  /** The answer of filter when nothing can be said; the scheduler takes it for an error. */
  static byte[] filterError(String why) {
    return write(
        out -> {
          out.writeStartObject();
          out.writeNullProperty("Nodes");
          out.writeNullProperty("NodeNames");
          failed("FailedNodes", Map.of(), out);
          failed("FailedAndUnresolvableNodes", Map.of(), out);
          out.writeStringProperty("Error", why);
          out.writeEndObject();
        });
  }

  /** The answer of prioritize: a bare array. */
  static byte[] scores(Map<String, Integer> scores) {
    return write(
        out -> {
          out.writeStartArray();
          scores.forEach(
              (host, score) -> {
                out.writeStartObject();
                out.writeStringProperty("Host", host);
                out.writeNumberProperty("Score", score);
                out.writeEndObject();
              });
          out.writeEndArray();
        });
  }

  /**
   * The answer of bind.
   *
   * @param error empty when the pod is bound
   */
  static byte[] bind(String error) {
    return write(
        out -> {
          out.writeStartObject();
          out.writeStringProperty("Error", error);
          out.writeEndObject();
        });
  }

  /** One JSON text in UTF-8. */
  static byte[] write(Consumer<JsonGenerator> content) {
    var bytes = new ByteArrayOutputStream(FIRST_BUFFER);
    try (JsonGenerator out = JSON.createGenerator(ObjectWriteContext.empty(), bytes)) {
      content.accept(out);
    }
    return bytes.toByteArray();
  }
}
