package io.gpumem.plugin.kubelet.fake;

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
import io.grpc.ConnectivityState;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The kubelet's connection to one plugin socket. Allocate and GetPreferredAllocation have no
 * deadline, as in the kubelet: a plugin that hangs hangs admission.
 */
final class PluginClient implements PluginEndpoint {
  /** The kubelet's own (KubeletPreStartContainerRPCTimeoutInSecs). */
  private static final Duration PRE_START_LIMIT = Duration.ofSeconds(30);

  /** How often a waiting dial looks whether its caller is still there. */
  private static final Duration DIAL_STEP = Duration.ofMillis(20);

  private final String resource;
  private final Path socket;
  private final ManagedChannel channel;
  private final UnixTransport transport;
  private final Context.CancellableContext stream = Context.ROOT.withCancellation();

  PluginClient(String resource, Path socket, UnixTransport transport) {
    this.resource = resource;
    this.socket = socket;
    this.transport = transport;
    this.channel = transport.channel(socket);
  }

  String resource() {
    return resource;
  }

  String socket() {
    return socket.toString();
  }

  /** Blocks until the socket answers; false after the limit, or when the Register call is gone. */
  boolean dial(Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    ConnectivityState state = channel.getState(true);
    while (state != ConnectivityState.READY) {
      if (System.nanoTime() > deadline || Context.current().isCancelled()) {
        return false;
      }
      CountDownLatch changed = new CountDownLatch(1);
      channel.notifyWhenStateChanged(state, changed::countDown);
      try {
        boolean _ = changed.await(DIAL_STEP.toMillis(), TimeUnit.MILLISECONDS);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return false;
      }
      state = channel.getState(true);
    }
    return true;
  }

  /** Under the context of the Register call, so it ends when that does. */
  PluginAnswer<DevicePluginOptions> options() {
    return answer(
        () ->
            DevicePluginGrpc.newBlockingStub(channel)
                .getDevicePluginOptions(Empty.getDefaultInstance()));
  }

  /**
   * Opens the stream and returns at once.
   *
   * @param ended called once, whoever ended it
   */
  void watch(Consumer<ListAndWatchResponse> received, Runnable ended) {
    StreamObserver<ListAndWatchResponse> observer =
        new StreamObserver<>() {
          private final AtomicBoolean over = new AtomicBoolean();

          @Override
          public void onNext(ListAndWatchResponse list) {
            received.accept(list);
          }

          @Override
          public void onError(Throwable reason) {
            end();
          }

          @Override
          public void onCompleted() {
            end();
          }

          private void end() {
            if (over.compareAndSet(false, true)) {
              ended.run();
            }
          }
        };
    // Not under the Register call's context: the stream would end with it.
    stream.run(
        () -> DevicePluginGrpc.newStub(channel).listAndWatch(Empty.getDefaultInstance(), observer));
  }

  /** Ends the stream from this side; the connection stays. */
  void cancelStream() {
    stream.cancel(null);
  }

  /** Closes the connection, and the stream with it. Does not wait. */
  void disconnect() {
    channel.shutdownNow();
  }

  /** Closes the connection and waits for its end. */
  void close() {
    stream.cancel(null);
    transport.stop(channel, "the connection to " + socket.getFileName());
  }

  @Override
  public PluginAnswer<PreferredAllocationResponse> getPreferredAllocation(
      PreferredAllocationRequest request) {
    return answer(() -> DevicePluginGrpc.newBlockingStub(channel).getPreferredAllocation(request));
  }

  @Override
  public PluginAnswer<AllocateResponse> allocate(AllocateRequest request) {
    return answer(() -> DevicePluginGrpc.newBlockingStub(channel).allocate(request));
  }

  @Override
  public PluginAnswer<PreStartContainerResponse> preStartContainer(
      PreStartContainerRequest request) {
    return answer(
        () ->
            DevicePluginGrpc.newBlockingStub(channel)
                .withDeadlineAfter(PRE_START_LIMIT)
                .preStartContainer(request));
  }

  private static <T> PluginAnswer<T> answer(Supplier<T> call) {
    try {
      return PluginAnswer.given(call.get());
    } catch (StatusRuntimeException e) {
      String description = e.getStatus().getDescription();
      return PluginAnswer.refused(
          StatusCodes.inGo(e.getStatus().getCode()), description == null ? "" : description);
    }
  }
}
