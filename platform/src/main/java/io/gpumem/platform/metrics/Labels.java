package io.gpumem.platform.metrics;

import java.util.ArrayList;
import java.util.List;

/** The labels of one metric, in the order in which values are given. */
record Labels(String metric, List<Label> labels) {

  Labels {
    labels = List.copyOf(labels);
  }

  String[] names() {
    return labels.stream().map(Label::name).toArray(String[]::new);
  }

  /** Gives the values back when they fit; anything else is a bug of the caller. */
  String[] checked(String... values) {
    if (values.length != labels.size()) {
      throw new IllegalArgumentException(
          "expected " + labels.size() + " label values of " + metric + " but was " + values.length);
    }
    for (int i = 0; i < values.length; i++) {
      if (!labels.get(i).takes(values[i])) {
        throw new IllegalArgumentException(
            "expected a value that "
                + labels.get(i)
                + " of "
                + metric
                + " has but was "
                + values[i]);
      }
    }
    return values;
  }

  /** Every combination of values; none when a label is open. */
  List<String[]> known() {
    var rows = List.of(List.<String>of());
    for (var label : labels) {
      var longer = new ArrayList<List<String>>();
      for (var row : rows) {
        for (var value : label.values()) {
          var next = new ArrayList<>(row);
          next.add(value);
          longer.add(List.copyOf(next));
        }
      }
      rows = List.copyOf(longer);
    }
    return rows.stream().map(row -> row.toArray(String[]::new)).toList();
  }
}
