package io.gpumem.platform.facts;

import java.util.Map;

/** A node's annotations and labels whose keys begin with our resource's name and a dot. */
public record NodeTexts(Map<String, String> annotations, Map<String, String> labels) {
  public NodeTexts {
    annotations = Map.copyOf(annotations);
    labels = Map.copyOf(labels);
  }
}
