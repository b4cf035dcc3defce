package io.gpumem.plugin.kubelet.fake;

import io.gpumem.proto.deviceplugin.v1beta1.PreStartContainerRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreStartContainerResponse;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** What the kubelet does with a container's devices each time that it starts the container. */
record ContainerStart(
    DeviceTable table, Endpoints endpoints, Allocator allocator, Predicate<String> active) {

  /** Replays the recorded answers, and allocates where one is missing; what went wrong. */
  Optional<String> prepare(KubeletPod pod, KubeletContainer container) {
    boolean missing = false;
    for (Map.Entry<String, Integer> request : container.requests().entrySet()) {
      String resource = request.getKey();
      if (request.getValue() == 0 || !table.isPluginResource(resource)) {
        continue;
      }
      Optional<Allocation> recorded =
          Optional.ofNullable(table.allocations(pod.uid(), container.name()).get(resource));
      Optional<String> problem = preStart(pod, container, resource, recorded);
      if (problem.isPresent()) {
        return problem;
      }
      missing |= recorded.isEmpty();
    }
    return missing && active.test(pod.uid())
        ? allocator.allocate(pod, container)
        : Optional.empty();
  }

  private Optional<String> preStart(
      KubeletPod pod, KubeletContainer container, String resource, Optional<Allocation> recorded) {
    Optional<Endpoints.Entry> entry = endpoints.of(resource);
    if (entry.isEmpty()) {
      return Optional.of("endpoint not found in cache for a registered resource: " + resource);
    }
    if (!entry.get().options().getPreStartRequired()) {
      return Optional.empty();
    }
    if (recorded.isEmpty()) {
      return Optional.of(
          "no devices found allocated in local cache for pod %s, container %s, resource %s"
              .formatted(pod.uid(), container.name(), resource));
    }
    var request =
        PreStartContainerRequest.newBuilder().addAllDevicesIds(recorded.get().ids()).build();
    return switch (entry.get().plugin().preStartContainer(request)) {
      case PluginAnswer.Given<PreStartContainerResponse> _ -> Optional.empty();
      case PluginAnswer.Refused<PreStartContainerResponse>(_, String text) ->
          Optional.of("device plugin PreStartContainer rpc failed with err: " + text);
    };
  }
}
