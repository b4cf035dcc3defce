package io.gpumem.plugin.kubelet.fake;

import com.google.protobuf.Message;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreStartContainerRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreStartContainerResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/** A plugin whose calls are timed, recorded, checked, and held when a test says so. */
final class ObservedPlugin implements PluginEndpoint {
  private final String resource;
  private final PluginEndpoint plugin;
  private final CallLog log;
  private final ContractChecks checks;
  private final KubeletFaults faults;

  ObservedPlugin(
      String resource,
      PluginEndpoint plugin,
      CallLog log,
      ContractChecks checks,
      KubeletFaults faults) {
    this.resource = resource;
    this.plugin = plugin;
    this.log = log;
    this.checks = checks;
    this.faults = faults;
  }

  @Override
  public PluginAnswer<PreferredAllocationResponse> getPreferredAllocation(
      PreferredAllocationRequest request) {
    PluginAnswer<PreferredAllocationResponse> answer =
        timed(
            KubeletCall.Method.GET_PREFERRED_ALLOCATION,
            request,
            () -> plugin.getPreferredAllocation(request));
    checks.preferred(request, answer);
    return answer;
  }

  @Override
  public PluginAnswer<AllocateResponse> allocate(AllocateRequest request) {
    faults.onAllocate(AllocateHold.Point.BEFORE_CALL);
    PluginAnswer<AllocateResponse> answer =
        timed(KubeletCall.Method.ALLOCATE, request, () -> plugin.allocate(request));
    checks.allocate(answer);
    faults.onAllocate(AllocateHold.Point.AFTER_ANSWER);
    return answer;
  }

  @Override
  public PluginAnswer<PreStartContainerResponse> preStartContainer(
      PreStartContainerRequest request) {
    return timed(
        KubeletCall.Method.PRE_START_CONTAINER, request, () -> plugin.preStartContainer(request));
  }

  private <T extends Message> PluginAnswer<T> timed(
      KubeletCall.Method method, Message request, Supplier<PluginAnswer<T>> call) {
    Instant startedAt = Instant.now();
    long before = System.nanoTime();
    PluginAnswer<T> answer = call.get();
    Duration took = Duration.ofNanos(System.nanoTime() - before);
    log.add(new KubeletCall(method, resource, request, answer, startedAt, took));
    return answer;
  }
}
