package io.gpumem.plugin.kubelet;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.ContainerView;
import io.gpumem.plugin.allocate.PreferredCall;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerPreferredAllocationResponse;
import io.gpumem.proto.deviceplugin.v1beta1.DeviceSpec;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The kubelet's two allocation calls as values: protobuf in, protobuf out, no decisions and no
 * sockets. The service carries them over gRPC; a rehearsal and a simulation make them as they are.
 * Safe for any thread. The kubelet sends one container a call; all are answered, in order.
 */
public final class AllocationCalls {

  private static final String READ_WRITE = "rw";

  private final Allocator allocator;
  private final Function<Map<DeviceUuid, Long>, ContainerView> views;

  /** What an Allocate call came to. */
  public sealed interface Allocated {
    /** Every container has its devices. */
    record Granted(AllocateResponse response) implements Allocated {}

    /** One could not be served, so none is; the text ends up in the pod's status. */
    record Refused(String why) implements Allocated {}
  }

  /**
   * @param views what a container is given of its devices
   */
  public AllocationCalls(
      Allocator allocator, Function<Map<DeviceUuid, Long>, ContainerView> views) {
    this.allocator = allocator;
    this.views = views;
  }

  /** Which IDs the containers should get; never a refusal, which would leak bookings. */
  public PreferredAllocationResponse preferred(PreferredAllocationRequest request) {
    PreferredAllocationResponse.Builder response = PreferredAllocationResponse.newBuilder();
    for (ContainerPreferredAllocationRequest container : request.getContainerRequestsList()) {
      PreferredCall call =
          new PreferredCall(
              container.getAvailableDeviceIDsList(),
              new HashSet<>(container.getMustIncludeDeviceIDsList()),
              // No size at all can be asked, and an error would leak bookings in the kubelet.
              Math.max(0, container.getAllocationSize()));
      response.addContainerResponses(
          ContainerPreferredAllocationResponse.newBuilder()
              .addAllDeviceIDs(allocator.prefer(call)));
    }
    return response.build();
  }

  /** Gives the containers the IDs that the kubelet chose, or refuses all. */
  public Allocated allocated(AllocateRequest request) {
    AllocateResponse.Builder response = AllocateResponse.newBuilder();
    List<List<String>> granted = new ArrayList<>();
    for (ContainerAllocateRequest container : request.getContainerRequestsList()) {
      switch (allocator.allocate(container.getDevicesIdsList())) {
        case Allocator.Outcome.Granted(var devices) -> {
          granted.add(container.getDevicesIdsList());
          response.addContainerResponses(response(views.apply(devices)));
        }
        case Allocator.Outcome.Refused(String why) -> {
          granted.forEach(allocator::withdraw);
          return new Allocated.Refused(why);
        }
      }
    }
    return new Allocated.Granted(response.build());
  }

  private static ContainerAllocateResponse response(ContainerView view) {
    ContainerAllocateResponse.Builder response =
        ContainerAllocateResponse.newBuilder().putAllEnvs(view.environment());
    for (String path : view.deviceNodes()) {
      response.addDevices(
          DeviceSpec.newBuilder()
              .setContainerPath(path)
              .setHostPath(path)
              .setPermissions(READ_WRITE));
    }
    return response.build();
  }
}
