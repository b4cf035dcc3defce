package io.gpumem.demo.world;

import io.gpumem.plugin.kubelet.fake.KubeletContainer;
import io.gpumem.plugin.kubelet.fake.KubeletContainer.Kind;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A pod that somebody wants: its name, the node it is bound to stay on (empty for any), and its
 * containers in the order of the spec, init containers and sidecars first.
 */
public record PodPlan(String name, Optional<String> node, List<KubeletContainer> containers) {

  /** All pods of the demonstration are in one namespace. */
  public static final String NAMESPACE = "default";

  private static final JsonMapper JSON = JsonMapper.builder().build();

  public PodPlan {
    containers = List.copyOf(containers);
  }

  /** One container with so many units of the resource, on any node. */
  public static PodPlan of(String name, String resource, int units) {
    return new PodPlan(
        name, Optional.empty(), List.of(KubeletContainer.app("main", resource, units)));
  }

  public PodPlan on(String wanted) {
    return new PodPlan(name, Optional.of(wanted), containers);
  }

  /** The same pod under another name, as a controller makes it anew. */
  public PodPlan named(String other) {
    return new PodPlan(other, node, containers);
  }

  /** The pod as it is sent to the API server. */
  public ObjectNode toJson() {
    ObjectNode pod = JSON.createObjectNode();
    pod.putObject("metadata").put("name", name).put("namespace", NAMESPACE);
    ObjectNode spec = pod.putObject("spec");
    node.ifPresent(host -> spec.putObject("nodeSelector").put(PlayedNode.HOSTNAME, host));
    var apps = spec.putArray("containers");
    var inits = spec.putArray("initContainers");
    for (KubeletContainer container : containers) {
      ObjectNode written =
          (container.kind() == Kind.APP ? apps : inits).addObject().put("name", container.name());
      if (container.kind() == Kind.SIDECAR) {
        written.put("restartPolicy", "Always");
      }
      ObjectNode limits = written.putObject("resources").putObject("limits");
      container.requests().forEach((resource, units) -> limits.put(resource, units.toString()));
    }
    return pod;
  }
}
