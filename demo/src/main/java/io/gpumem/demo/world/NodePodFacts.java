package io.gpumem.demo.world;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.gpumem.plugin.kubelet.fake.KubeletContainer;
import io.gpumem.plugin.kubelet.fake.KubeletContainer.Kind;
import io.gpumem.plugin.kubelet.fake.KubeletPod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Reads pods as a kubelet does. */
public final class NodePodFacts {

  private NodePodFacts() {}

  /** The pod of that object; empty never. */
  public static Optional<NodePod> of(Pod pod) {
    List<KubeletContainer> containers = new ArrayList<>();
    for (Container init : pod.getSpec().getInitContainers()) {
      boolean sidecar = "Always".equals(init.getRestartPolicy());
      containers.add(container(init, sidecar ? Kind.SIDECAR : Kind.INIT));
    }
    for (Container app : pod.getSpec().getContainers()) {
      containers.add(container(app, Kind.APP));
    }
    return Optional.of(
        new NodePod(
            new KubeletPod(
                pod.getMetadata().getUid(),
                pod.getMetadata().getNamespace(),
                pod.getMetadata().getName(),
                Instant.parse(pod.getMetadata().getCreationTimestamp()),
                containers),
            pod.getMetadata().getDeletionTimestamp() != null));
  }

  private static KubeletContainer container(Container container, Kind kind) {
    TreeMap<String, Integer> requests = new TreeMap<>();
    if (container.getResources() != null && container.getResources().getLimits() != null) {
      container
          .getResources()
          .getLimits()
          .forEach((resource, limit) -> requests.put(resource, whole(limit)));
    }
    return new KubeletContainer(container.getName(), kind, requests);
  }

  private static int whole(Quantity limit) {
    return limit.getNumericalAmount().intValueExact();
  }
}
