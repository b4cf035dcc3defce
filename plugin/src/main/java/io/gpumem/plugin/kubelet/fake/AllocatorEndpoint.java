package io.gpumem.plugin.kubelet.fake;

import io.gpumem.core.units.Memory;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.ContainerView;
import io.gpumem.plugin.kubelet.AllocationCalls;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The kubelet's calls on an allocator, without sockets: the shipped calls, for a plugin whose
 * containers get a variable.
 *
 * @param allocator the one of the moment: a restarted plugin has another
 */
public record AllocatorEndpoint(Supplier<Allocator> allocator) implements PluginEndpoint {

  @Override
  public PluginAnswer<PreferredAllocationResponse> getPreferredAllocation(
      PreferredAllocationRequest request) {
    return PluginAnswer.given(calls().preferred(request));
  }

  @Override
  public PluginAnswer<AllocateResponse> allocate(AllocateRequest request) {
    return switch (calls().allocated(request)) {
      case AllocationCalls.Allocated.Granted(AllocateResponse response) ->
          PluginAnswer.given(response);
      case AllocationCalls.Allocated.Refused(String why) ->
          PluginAnswer.refused("FailedPrecondition", why);
    };
  }

  private AllocationCalls calls() {
    return new AllocationCalls(
        allocator.get(),
        devices ->
            ContainerView.of(
                devices, Memory.ofGib(1), Set.of(ContainerView.Strategy.ENVVAR), Map.of()));
  }
}
