package io.gpumem.plugin.kubelet;

import io.gpumem.plugin.kubelet.fake.KubeletCall;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpumem.proto.deviceplugin.v1beta1.Empty;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.RegisterRequest;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Calls of the plugin's own socket that no kubelet of today would make in this form. */
public final class DirectCalls implements AutoCloseable {

  private static final int LIMIT_SECONDS = 20;

  private final UnixSockets sockets = new UnixSockets();
  private final ManagedChannel channel;

  private DirectCalls(Path socket) {
    this.channel = sockets.connect(socket);
  }

  /** To the one plugin socket of this directory. */
  public static DirectCalls to(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return new DirectCalls(
          files
              .filter(file -> file.getFileName().toString().startsWith("gpumem-"))
              .findFirst()
              .orElseThrow());
    }
  }

  private DevicePluginGrpc.DevicePluginBlockingStub stub() {
    return DevicePluginGrpc.newBlockingStub(channel)
        .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  /** What the plugin sent with a Register call. */
  public static RegisterRequest request(KubeletCall register) {
    return (RegisterRequest) register.request();
  }

  /** What the plugin says of itself. */
  public DevicePluginOptions options() {
    return stub().getDevicePluginOptions(Empty.getDefaultInstance());
  }

  /** One preferred call with a container for each size. */
  public List<List<String>> prefer(List<String> available, List<Integer> sizes) {
    var request = PreferredAllocationRequest.newBuilder();
    sizes.forEach(
        size ->
            request.addContainerRequests(
                ContainerPreferredAllocationRequest.newBuilder()
                    .addAllAvailableDeviceIDs(available)
                    .setAllocationSize(size)));
    List<List<String>> ids = new ArrayList<>();
    stub()
        .getPreferredAllocation(request.build())
        .getContainerResponsesList()
        .forEach(answer -> ids.add(List.copyOf(answer.getDeviceIDsList())));
    return ids;
  }

  /** One Allocate call with a container for each list. */
  public AllocateResponse allocate(List<List<String>> containers) {
    var request = AllocateRequest.newBuilder();
    containers.forEach(
        ids ->
            request.addContainerRequests(
                ContainerAllocateRequest.newBuilder().addAllDevicesIds(ids)));
    return stub().allocate(request.build());
  }

  @Override
  public void close() {
    channel.shutdownNow();
    sockets.close();
  }
}
