package io.gpumem.platform.cluster;

/** Which nodes the API server shall send. */
public sealed interface NodeSelection {

  /** Nodes that carry a label of this key, whatever its value. */
  static NodeSelection labelled(String key) {
    return new Labelled(key);
  }

  /** One node. */
  static NodeSelection named(String name) {
    return new Named(name);
  }

  /** Every node. */
  static NodeSelection all() {
    return new All();
  }

  /** Nodes that carry a label of this key. */
  record Labelled(String key) implements NodeSelection {
    public Labelled {
      if (key.isBlank()) {
        throw new IllegalArgumentException("expected a label key but it was blank");
      }
    }
  }

  /** The node of this name. */
  record Named(String name) implements NodeSelection {
    public Named {
      if (name.isBlank()) {
        throw new IllegalArgumentException("expected the name of a node but it was blank");
      }
    }
  }

  /** Every node. */
  record All() implements NodeSelection {}
}
