package io.gpumem.plugin.kubelet;

import io.gpumem.core.units.DeviceUuid;
import io.gpumem.plugin.allocate.Allocator;
import io.gpumem.plugin.allocate.ContainerView;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpumem.proto.deviceplugin.v1beta1.Empty;
import io.gpumem.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreStartContainerRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreStartContainerResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.function.Function;

/**
 * The gRPC service that the kubelet calls: it carries, and decides nothing. Safe for any thread.
 */
final class DevicePluginService extends DevicePluginGrpc.DevicePluginImplBase {

  /** Pre-start is never asked for: it would make a plugin's absence block container restarts. */
  static final DevicePluginOptions OPTIONS =
      DevicePluginOptions.newBuilder()
          .setPreStartRequired(false)
          .setGetPreferredAllocationAvailable(true)
          .build();

  private final AllocationCalls calls;
  private final ListStreams streams;

  DevicePluginService(
      Allocator allocator,
      Function<Map<DeviceUuid, Long>, ContainerView> views,
      ListStreams streams) {
    this.calls = new AllocationCalls(allocator, views);
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
    answer.onNext(calls.preferred(request));
    answer.onCompleted();
  }

  @Override
  public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> answer) {
    switch (calls.allocated(request)) {
      case AllocationCalls.Allocated.Granted(AllocateResponse response) -> {
        answer.onNext(response);
        answer.onCompleted();
      }
      case AllocationCalls.Allocated.Refused(String why) ->
          answer.onError(Status.FAILED_PRECONDITION.withDescription(why).asRuntimeException());
    }
  }

  @Override
  public void preStartContainer(
      PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> answer) {
    answer.onNext(PreStartContainerResponse.getDefaultInstance());
    answer.onCompleted();
  }
}
