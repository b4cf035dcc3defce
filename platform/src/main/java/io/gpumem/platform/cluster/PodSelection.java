package io.gpumem.platform.cluster;

/**
 * Which pods the API server shall send, of all namespaces. Both kinds are field selectors that the
 * server itself evaluates: a pod that stops matching arrives as gone.
 */
public sealed interface PodSelection {

  /**
   * The pods bound to one node, ended ones included. Their order on the watch is the order of the
   * bindings.
   */
  static PodSelection onNode(String node) {
    return new OnNode(node);
  }

  /** The pods that have not ended, bound or not. */
  static PodSelection notEnded() {
    return new NotEnded();
  }

  /** The field selector, as the API server reads it. */
  String fieldSelector();

  /** A short name for logs. */
  String label();

  /** Pods with this {@code spec.nodeName}. */
  record OnNode(String node) implements PodSelection {
    public OnNode {
      if (node.isBlank()) {
        throw new IllegalArgumentException("expected the name of a node but it was blank");
      }
    }

    @Override
    public String fieldSelector() {
      return "spec.nodeName=" + node;
    }

    @Override
    public String label() {
      return "pods of node";
    }
  }

  /** Pods neither Succeeded nor Failed. */
  record NotEnded() implements PodSelection {
    @Override
    public String fieldSelector() {
      return "status.phase!=Succeeded,status.phase!=Failed";
    }

    @Override
    public String label() {
      return "pods";
    }
  }
}
