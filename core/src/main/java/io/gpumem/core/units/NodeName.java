package io.gpumem.core.units;

/** A node's name as the API server knows it, which need not be the machine's host name. */
public record NodeName(String text) implements Comparable<NodeName> {

  public NodeName {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("expected a node name but was empty");
    }
  }

  @Override
  public int compareTo(NodeName other) {
    return text.compareTo(other.text);
  }

  @Override
  public String toString() {
    return text;
  }
}
