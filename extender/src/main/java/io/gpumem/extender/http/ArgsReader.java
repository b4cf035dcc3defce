package io.gpumem.extender.http;

import io.gpumem.core.wire.Keys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads the scheduler's requests by streaming: the first request after a start takes a tenth of the
 * time that binding to classes takes, and the scheduler waits for no more than five seconds.
 */
final class ArgsReader {

  /** What a body is. */
  sealed interface Body<T> {

    /** A JSON object; what it lacks, the value lacks. */
    record Read<T>(T value) implements Body<T> {}

    /** JSON, but no object. */
    record NoObject<T>() implements Body<T> {}

    /** No JSON. */
    record Malformed<T>(String why) implements Body<T> {}
  }

  private static final int LONGEST_WHY = 200;

  private static final JsonFactory JSON = new JsonFactory();

  private final Keys keys;

  ArgsReader(Keys keys) {
    this.keys = keys;
  }

  private interface Fields<T> {
    T read(JsonParser parser);
  }

  Body<ExtenderArgs> extenderArgs(byte[] body) {
    return read(body, this::args);
  }

  /** The fields of a bind request by lower-case name; of these only the texts. */
  Body<Map<String, String>> texts(byte[] body) {
    return read(
        body,
        parser -> {
          Map<String, String> texts = new HashMap<>();
          JsonFields.object(parser, (key, value) -> texts.put(key, JsonFields.text(value)));
          return texts;
        });
  }

  private static <T> Body<T> read(byte[] body, Fields<T> fields) {
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), body)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        return new Body.Malformed<>("the body is empty");
      }
      boolean object = first == JsonToken.START_OBJECT;
      Optional<T> value = object ? Optional.of(fields.read(parser)) : Optional.empty();
      parser.skipChildren();
      if (parser.nextToken() != null) {
        return new Body.Malformed<>("the body goes on after its end");
      }
      return value.<Body<T>>map(Body.Read::new).orElseGet(Body.NoObject::new);
    } catch (JacksonException malformed) {
      String why = String.valueOf(malformed.getOriginalMessage());
      return new Body.Malformed<>(why.substring(0, Math.min(LONGEST_WHY, why.length())));
    }
  }

  private ExtenderArgs args(JsonParser parser) {
    var found = new Found();
    JsonFields.object(parser, found::field);
    if (found.names.isPresent()) {
      return new ExtenderArgs(found.pod, found.names.get(), Optional.empty());
    }
    List<String> names =
        found.nodes.orElse(List.of()).stream().map(ExtenderArgs.RawNode::name).toList();
    return new ExtenderArgs(found.pod, names, found.nodes);
  }

  /** What was found of one request so far. */
  private final class Found {

    private Optional<ScannedPod> pod = Optional.empty();
    private Optional<List<String>> names = Optional.empty();
    private Optional<List<ExtenderArgs.RawNode>> nodes = Optional.empty();

    void field(String key, JsonParser value) {
      switch (key) {
        case "pod" -> {
          if (value.currentToken() == JsonToken.START_OBJECT) {
            pod = Optional.of(PodScanner.scan(value, keys));
          }
        }
        case "nodenames" -> {
          if (value.currentToken() == JsonToken.START_ARRAY) {
            List<String> read = new ArrayList<>();
            JsonFields.array(value, item -> read.add(JsonFields.text(item)));
            names = Optional.of(read);
          }
        }
        case "nodes" -> JsonFields.object(value, this::nodes);
        default -> {}
      }
    }

    private void nodes(String key, JsonParser value) {
      if (key.equals("items") && value.currentToken() == JsonToken.START_ARRAY) {
        List<ExtenderArgs.RawNode> read = new ArrayList<>();
        JsonFields.array(value, item -> node(item).ifPresent(read::add));
        nodes = Optional.of(read);
      }
    }
  }

  /** A node without a name can't be spoken of, so it is left out. */
  private static Optional<ExtenderArgs.RawNode> node(JsonParser item) {
    if (item.currentToken() != JsonToken.START_OBJECT) {
      return Optional.empty();
    }
    int from = (int) item.currentTokenLocation().getByteOffset();
    StringBuilder name = new StringBuilder();
    JsonFields.object(
        item,
        (key, value) -> {
          if (key.equals("metadata")) {
            JsonFields.object(
                value,
                (inner, text) -> {
                  if (inner.equals("name")) {
                    name.append(JsonFields.text(text));
                  }
                });
          }
        });
    int to = (int) item.currentLocation().getByteOffset();
    boolean usable = !name.isEmpty() && from >= 0 && to > from;
    return usable
        ? Optional.of(new ExtenderArgs.RawNode(name.toString(), from, to))
        : Optional.empty();
  }
}
