package io.gpumem.platform.cluster.fake;

import java.util.Arrays;
import java.util.Optional;

/** The kinds of object that the stand-in keeps. */
public enum ResourceKind {
  PODS("", "pods", "Pod", true),
  NODES("", "nodes", "Node", false),
  EVENTS("", "events", "Event", true),
  LEASES("coordination.k8s.io", "leases", "Lease", true);

  private final String group;
  private final String plural;
  private final String kind;
  private final boolean namespaced;

  ResourceKind(String group, String plural, String kind, boolean namespaced) {
    this.group = group;
    this.plural = plural;
    this.kind = kind;
    this.namespaced = namespaced;
  }

  static Optional<ResourceKind> find(String group, String plural) {
    return Arrays.stream(values())
        .filter(k -> k.group.equals(group) && k.plural.equals(plural))
        .findFirst();
  }

  String apiVersion() {
    return group.isEmpty() ? "v1" : group + "/v1";
  }

  /** The name in URLs, and in texts with the group behind it. */
  String plural() {
    return plural;
  }

  String qualified() {
    return group.isEmpty() ? plural : plural + "." + group;
  }

  /** The name in objects. */
  String kind() {
    return kind;
  }

  boolean namespaced() {
    return namespaced;
  }

  /** Pods and nodes have a status that is written apart from the rest. */
  boolean hasStatus() {
    return this == PODS || this == NODES;
  }
}
