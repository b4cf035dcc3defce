package io.gpumem.plugin.kubelet.fake;

import java.util.List;

/** What became of a pod or a resource: what a real kubelet would write into the API server. */
public sealed interface KubeletEvent {

  /** All containers of the pod were started, in this order, with these views. */
  record PodRunning(KubeletPod pod, List<ContainerView> containers) implements KubeletEvent {
    public PodRunning {
      containers = List.copyOf(containers);
    }

    /** The view of the container of that name. */
    public ContainerView container(String name) {
      return containers.stream()
          .filter(view -> view.container().equals(name))
          .findFirst()
          .orElseThrow(() -> new IllegalArgumentException("no container " + name + " in " + pod));
    }
  }

  /** The pod was refused or lost its devices. Final: the kubelet never tries again. */
  record PodFailed(KubeletPod pod, String reason, String message) implements KubeletEvent {}

  /** A container of an admitted pod can't start now; {@code startContainers} tries again. */
  record ContainerWaiting(KubeletPod pod, String container, String reason, String message)
      implements KubeletEvent {}

  /** The node's status of one resource changed, in devices. */
  record CapacityChanged(String resource, long capacity, long allocatable)
      implements KubeletEvent {}
}
