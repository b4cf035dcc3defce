package io.gpumem.demo.world;

import tools.jackson.databind.node.ObjectNode;

/**
 * What people ask of a pod.
 *
 * @param node empty while it is not bound
 */
public record PodState(String name, String uid, String phase, String node, boolean deleting) {

  static PodState of(ObjectNode pod) {
    return new PodState(
        pod.path("metadata").path("name").asString(""),
        pod.path("metadata").path("uid").asString(""),
        pod.path("status").path("phase").asString(""),
        pod.path("spec").path("nodeName").asString(""),
        pod.path("metadata").has("deletionTimestamp"));
  }

  public boolean isRunning() {
    return phase.equals("Running") && !deleting;
  }

  public boolean isPending() {
    return phase.equals("Pending") && !deleting;
  }

  public boolean isFailed() {
    return phase.equals("Failed");
  }
}
