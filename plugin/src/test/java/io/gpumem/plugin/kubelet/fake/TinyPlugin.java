package io.gpumem.plugin.kubelet.fake;

import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerPreferredAllocationResponse;
import io.gpumem.proto.deviceplugin.v1beta1.Device;
import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginGrpc;
import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpumem.proto.deviceplugin.v1beta1.Empty;
import io.gpumem.proto.deviceplugin.v1beta1.ListAndWatchResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreStartContainerRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreStartContainerResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import io.gpumem.proto.deviceplugin.v1beta1.RegisterRequest;
import io.gpumem.proto.deviceplugin.v1beta1.RegistrationGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The smallest device plugin: a list, and answers that a test can replace. */
final class TinyPlugin implements AutoCloseable {

  /** Answers one container's request, or refuses it. */
  interface Answer<Q, A> {
    A to(Q request) throws StatusException;
  }

  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final Path directory;
  private final String resource;
  private final Path socket;
  private final UnixTransport transport = new UnixTransport(new Findings());
  private final Server server;
  private final List<StreamObserver<ListAndWatchResponse>> streams = new ArrayList<>();
  private List<Device> devices = List.of();
  private volatile boolean registering;

  volatile DevicePluginOptions options =
      DevicePluginOptions.newBuilder().setGetPreferredAllocationAvailable(true).build();
  volatile boolean askedOptionsWhileRegistering;
  volatile Answer<ContainerPreferredAllocationRequest, List<String>> preferred =
      TinyPlugin::firstByName;
  volatile Answer<ContainerAllocateRequest, List<ContainerAllocateResponse>> allocate =
      TinyPlugin::idsInEnvironment;
  volatile Answer<PreStartContainerRequest, PreStartContainerResponse> preStart =
      _ -> PreStartContainerResponse.getDefaultInstance();

  TinyPlugin(Path directory, String resource) throws Exception {
    this(directory, resource, "tiny-" + NUMBER.incrementAndGet() + ".sock");
  }

  TinyPlugin(Path directory, String resource, String endpoint) throws Exception {
    this.directory = directory;
    this.resource = resource;
    this.socket = directory.resolve(endpoint);
    this.server = transport.serve(socket, new Service());
  }

  /** Replaces the list and sends it to whoever watches. */
  void publish(List<Device> list) {
    synchronized (streams) {
      devices = List.copyOf(list);
      streams.forEach(stream -> stream.onNext(message()));
    }
  }

  void register() {
    register(request().build());
  }

  RegisterRequest.Builder request() {
    return RegisterRequest.newBuilder()
        .setVersion("v1beta1")
        .setEndpoint(socket.getFileName().toString())
        .setResourceName(resource)
        .setOptions(options);
  }

  void register(RegisterRequest request) {
    ManagedChannel channel = transport.channel(directory.resolve("kubelet.sock"));
    registering = true;
    try {
      Empty _ =
          RegistrationGrpc.newBlockingStub(channel)
              .withDeadlineAfter(20, TimeUnit.SECONDS)
              .register(request);
    } finally {
      registering = false;
      channel.shutdownNow();
    }
  }

  Path socket() {
    return socket;
  }

  int streams() {
    synchronized (streams) {
      return streams.size();
    }
  }

  /** Dies as a killed process does: its connections break. */
  @Override
  public void close() {
    transport.stop(server, "the plugin's server");
    transport.close();
  }

  private ListAndWatchResponse message() {
    return ListAndWatchResponse.newBuilder().addAllDevices(devices).build();
  }

  private static List<String> firstByName(ContainerPreferredAllocationRequest request) {
    Set<String> chosen = new LinkedHashSet<>(request.getMustIncludeDeviceIDsList());
    for (String id : new TreeSet<>(request.getAvailableDeviceIDsList())) {
      if (chosen.size() < request.getAllocationSize()) {
        chosen.add(id);
      }
    }
    return List.copyOf(chosen);
  }

  private static List<ContainerAllocateResponse> idsInEnvironment(
      ContainerAllocateRequest request) {
    String ids = String.join(",", new TreeSet<>(request.getDevicesIdsList()));
    return List.of(ContainerAllocateResponse.newBuilder().putEnvs("IDS", ids).build());
  }

  private final class Service extends DevicePluginGrpc.DevicePluginImplBase {
    @Override
    public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> answer) {
      askedOptionsWhileRegistering |= registering;
      answer.onNext(options);
      answer.onCompleted();
    }

    @Override
    public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> stream) {
      synchronized (streams) {
        ((ServerCallStreamObserver<ListAndWatchResponse>) stream)
            .setOnCancelHandler(
                () -> {
                  synchronized (streams) {
                    streams.remove(stream);
                  }
                });
        streams.add(stream);
        stream.onNext(message());
      }
    }

    @Override
    public void getPreferredAllocation(
        PreferredAllocationRequest request, StreamObserver<PreferredAllocationResponse> answer) {
      try {
        PreferredAllocationResponse.Builder response = PreferredAllocationResponse.newBuilder();
        for (var container : request.getContainerRequestsList()) {
          response.addContainerResponses(
              ContainerPreferredAllocationResponse.newBuilder()
                  .addAllDeviceIDs(preferred.to(container)));
        }
        answer.onNext(response.build());
        answer.onCompleted();
      } catch (StatusException e) {
        answer.onError(e);
      }
    }

    @Override
    public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> answer) {
      try {
        AllocateResponse.Builder response = AllocateResponse.newBuilder();
        for (var container : request.getContainerRequestsList()) {
          response.addAllContainerResponses(allocate.to(container));
        }
        answer.onNext(response.build());
        answer.onCompleted();
      } catch (StatusException e) {
        answer.onError(e);
      }
    }

    @Override
    public void preStartContainer(
        PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> answer) {
      try {
        answer.onNext(preStart.to(request));
        answer.onCompleted();
      } catch (StatusException e) {
        answer.onError(e);
      }
    }
  }

  static StatusException refusal(String text) {
    return Status.FAILED_PRECONDITION.withDescription(text).asException();
  }
}
