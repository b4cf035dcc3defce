package io.gpumem.platform.metrics;

import java.util.List;

/**
 * A label of a metric. Keep labels few: each combination of values is a series of its own, kept for
 * the life of the process.
 *
 * @param values every value that the label can have, so that all series stand at zero from the
 *     start; empty when they can't be known, such as device UUIDs
 */
public record Label(String name, List<String> values) {

  public Label {
    values = List.copyOf(values);
  }

  /** A label whose values are all known. */
  public static Label of(String name, String... values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("expected the values of label " + name);
    }
    return new Label(name, List.of(values));
  }

  /** A label whose values show later. There must be few of them: devices, never pods. */
  public static Label open(String name) {
    return new Label(name, List.of());
  }

  boolean takes(String value) {
    return values.isEmpty() || values.contains(value);
  }
}
