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
import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpumem.proto.deviceplugin.v1beta1.DeviceSpec;
import io.gpumem.proto.deviceplugin.v1beta1.Empty;
import io.gpumem.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreStartContainerRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreStartContainerResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The gRPC service that the kubelet calls: protobuf in, protobuf out, no decisions. Safe for any
 * thread. The kubelet sends one container a call; all are answered, in order.
 */
final class DevicePluginService extends DevicePluginGrpc.DevicePluginImplBase {

  /** Pre-start is never asked for: it would make a plugin's absence block container restarts. */
  static final DevicePluginOptions OPTIONS =
      DevicePluginOptions.newBuilder()
          .setPreStartRequired(false)
          .setGetPreferredAllocationAvailable(true)
          .build();

  private static final String READ_WRITE = "rw";

  private final Allocator allocator;
  private final Function<Map<DeviceUuid, Long>, ContainerView> views;
  private final ListStreams streams;

  DevicePluginService(
      Allocator allocator,
      Function<Map<DeviceUuid, Long>, ContainerView> views,
      ListStreams streams) {
    this.allocator = allocator;
    this.views = views;
    this.streams = streams;
  }

  @Override
  public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> answer) {
    answer.onNext(OPTIONS);
    answer.onCompleted();
  }

  @Override
  public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> answer) {
    streams.open((ServerCallStreamObserver<ListAndWatchResponse>) answer);
  }

  @Override
  public void getPreferredAllocation(
      PreferredAllocationRequest request, StreamObserver<PreferredAllocationResponse> answer) {
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
    answer.onNext(response.build());
    answer.onCompleted();
  }

  @Override
  public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> answer) {
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
          answer.onError(Status.FAILED_PRECONDITION.withDescription(why).asRuntimeException());
          return;
        }
      }
    }
    answer.onNext(response.build());
    answer.onCompleted();
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

  @Override
  public void preStartContainer(
      PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> answer) {
    answer.onNext(PreStartContainerResponse.getDefaultInstance());
    answer.onCompleted();
  }
}
