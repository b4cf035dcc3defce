package io.gpumem.plugin.nvml.fake;

import io.gpumem.core.units.Memory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * The fields of one JSON object, each read once by name; {@link #refuseOthers} then refuses what
 * nobody asked for, so that a misspelt key never passes for one that was left out.
 */
final class Fields {

  /** Something in a machine file that can't be taken; the message names the key by its path. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    Refused(String message) {
      super(message);
    }
  }

  private static final long BYTES_PER_MIB = 1024 * 1024;

  /** Far above any GPU of today (an exbibyte), and far below where bytes leave a long. */
  private static final long MOST_MIB = 1L << 40;

  private final JsonNode node;
  private final String path;
  private final Set<String> asked = new HashSet<>();

  private Fields(JsonNode node, String path) {
    this.node = node;
    this.path = path;
  }

  static Fields of(JsonNode node, String path) {
    if (!node.isObject()) {
      throw new Refused((path.isEmpty() ? "the file" : path) + ": expected an object");
    }
    return new Fields(node, path);
  }

  String path(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  Set<String> names() {
    return Set.copyOf(node.propertyNames());
  }

  private Optional<JsonNode> field(String key) {
    asked.add(key);
    return Optional.ofNullable(node.get(key));
  }

  Optional<String> text(String key) {
    return field(key)
        .map(
            value -> {
              if (!value.isString() || value.stringValue().isBlank()) {
                throw expected(key, "a text", value);
              }
              return value.stringValue();
            });
  }

  OptionalInt number(String key, int least, int most) {
    Optional<JsonNode> value = field(key);
    if (value.isEmpty()) {
      return OptionalInt.empty();
    }
    if (!value.get().isIntegralNumber()
        || !value.get().canConvertToInt()
        || value.get().intValue() < least
        || value.get().intValue() > most) {
      throw expected(key, "a whole number from " + least + " to " + most, value.get());
    }
    return OptionalInt.of(value.get().intValue());
  }

  Optional<Boolean> flag(String key) {
    return field(key)
        .map(
            value -> {
              if (!value.isBoolean()) {
                throw expected(key, "true or false", value);
              }
              return value.booleanValue();
            });
  }

  /**
   * An amount in bytes: a number means bytes, a text such as {@code 615Mi} or {@code 16Gi} says.
   */
  OptionalLong bytes(String key) {
    Optional<JsonNode> field = field(key);
    if (field.isEmpty()) {
      return OptionalLong.empty();
    }
    JsonNode value = field.get();
    if (value.isIntegralNumber() && value.canConvertToLong() && value.longValue() >= 0) {
      return OptionalLong.of(value.longValue());
    }
    return OptionalLong.of(
        Optional.of(value)
            .filter(JsonNode::isString)
            .flatMap(text -> Memory.parse(text.stringValue()))
            .filter(amount -> amount.mib() <= MOST_MIB)
            .map(amount -> amount.mib() * BYTES_PER_MIB)
            .orElseThrow(() -> expected(key, "bytes, or a text such as 615Mi or 16Gi", value)));
  }

  /** Whether the field is exactly this text. */
  boolean says(String key, String word) {
    return field(key)
        .filter(value -> value.isString() && value.stringValue().equals(word))
        .isPresent();
  }

  Optional<Fields> object(String key) {
    return field(key).map(value -> of(value, path(key)));
  }

  Optional<List<Fields>> objects(String key) {
    return field(key)
        .map(
            value -> {
              if (!value.isArray()) {
                throw expected(key, "a list", value);
              }
              List<Fields> items = new ArrayList<>();
              for (JsonNode item : value) {
                items.add(of(item, path(key) + "[" + items.size() + "]"));
              }
              return items;
            });
  }

  void refuseOthers() {
    for (String name : node.propertyNames()) {
      if (!asked.contains(name)) {
        throw new Refused("unknown key " + path(name));
      }
    }
  }

  Refused expected(String key, String what, Object found) {
    return new Refused(path(key) + ": expected " + what + " but was " + found);
  }
}
