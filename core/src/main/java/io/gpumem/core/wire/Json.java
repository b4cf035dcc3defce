package io.gpumem.core.wire;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * JSON values (RFC 8259), for the few small texts that our own processes write to each other. core
 * depends on nothing, so it has a reader of its own; the edges, which read foreign JSON, use a
 * library. It is strict: one value, no trailing text, no duplicate keys, bounded depth and size.
 */
sealed interface Json {

  /** An object; keys keep their order. */
  record Obj(Map<String, Json> fields) implements Json {
    public Obj {
      fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    Optional<Json> get(String key) {
      return Optional.ofNullable(fields.get(key));
    }

    Optional<String> text(String key) {
      return get(key).flatMap(value -> value instanceof Text t ? Optional.of(t.value()) : empty());
    }

    /** A whole number that fits a long; empty otherwise. */
    OptionalLong whole(String key) {
      return get(key)
          .map(value -> value instanceof Num n ? n.whole() : OptionalLong.empty())
          .orElse(OptionalLong.empty());
    }

    /** The object under a key that must be there. */
    Obj object(String key) throws Malformed {
      if (!(fields.get(key) instanceof Obj object)) {
        throw new Malformed("expected an object under \"" + key + "\"");
      }
      return object;
    }

    /** The object under a key; an empty one when it is absent. */
    Obj objectIfAny(String key) throws Malformed {
      return fields.containsKey(key) ? object(key) : new Obj(Map.of());
    }

    /** The items of the array under a key that must be there. */
    List<Json> array(String key) throws Malformed {
      if (!(fields.get(key) instanceof Arr array)) {
        throw new Malformed("expected an array under \"" + key + "\"");
      }
      return array.items();
    }

    /** The items of the array under a key; none when it is absent. */
    List<Json> arrayIfAny(String key) throws Malformed {
      return fields.containsKey(key) ? array(key) : List.of();
    }

    private static <T> Optional<T> empty() {
      return Optional.empty();
    }
  }

  /** An array. */
  record Arr(List<Json> items) implements Json {
    public Arr {
      items = Collections.unmodifiableList(new ArrayList<>(items));
    }
  }

  /** A string. */
  record Text(String value) implements Json {}

  /** A number, as it was written. */
  record Num(String text) implements Json {
    OptionalLong whole() {
      try {
        return OptionalLong.of(Long.parseLong(text));
      } catch (NumberFormatException notWholeOrTooLarge) {
        return OptionalLong.empty();
      }
    }
  }

  /** true or false. */
  record Bool(boolean value) implements Json {}

  /** null. */
  record Null() implements Json {}

  /** The text is not JSON of the kind we read; the message says what and where. */
  final class Malformed extends Exception {
    private static final long serialVersionUID = 1;

    Malformed(String message) {
      super(message);
    }
  }

  /** Reads one value that is the whole text. */
  static Json parse(String text) throws Malformed {
    return new JsonReader(text).document();
  }

  /** Writes without blanks, fields in their order. */
  static String write(Json value) {
    StringBuilder out = new StringBuilder();
    JsonWriter.write(value, out);
    return out.toString();
  }
}
