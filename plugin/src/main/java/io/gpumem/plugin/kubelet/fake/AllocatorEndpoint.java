package io.gpumem.plugin.kubelet.fake;

import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.PreferredCall;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerPreferredAllocationResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import java.util.HashSet;
import java.util.List;
import java.util.function.Supplier;

/**
 * The kubelet's calls on an allocator, without sockets: what the plugin's service does, for one
 * container a call.
 *
 * @param allocator the one of the moment: a restarted plugin has another
 */
public record AllocatorEndpoint(Supplier<Allocator> allocator) implements PluginEndpoint {

  @Override
  public PluginAnswer<PreferredAllocationResponse> getPreferredAllocation(
      PreferredAllocationRequest request) {
    var container = request.getContainerRequests(0);
    PreferredCall call =
        new PreferredCall(
            container.getAvailableDeviceIDsList(),
            new HashSet<>(container.getMustIncludeDeviceIDsList()),
            container.getAllocationSize());
    List<String> ids = allocator.get().prefer(call);
    return PluginAnswer.given(
        PreferredAllocationResponse.newBuilder()
            .addContainerResponses(
                ContainerPreferredAllocationResponse.newBuilder().addAllDeviceIDs(ids))
            .build());
  }

  @Override
  public PluginAnswer<AllocateResponse> allocate(AllocateRequest request) {
    return switch (allocator.get().allocate(request.getContainerRequests(0).getDevicesIdsList())) {
      case Allocator.Outcome.Granted granted ->
          PluginAnswer.given(
              AllocateResponse.newBuilder()
                  .addContainerResponses(ContainerAllocateResponse.getDefaultInstance())
                  .build());
      case Allocator.Outcome.Refused(String why) -> PluginAnswer.refused("FailedPrecondition", why);
    };
  }
}
