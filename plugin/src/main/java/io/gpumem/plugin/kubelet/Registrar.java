package io.gpumem.plugin.kubelet;

import io.gpumem.proto.deviceplugin.v1beta1.RegisterRequest;
import io.gpumem.proto.deviceplugin.v1beta1.RegistrationGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Tells the kubelet of our socket. The kubelet dials back before it answers. */
final class Registrar {

  private static final String VERSION = "v1beta1";

  /** The kubelet's own limit for dialling back is 10 s, and it runs under our deadline. */
  private static final int DEADLINE_SECONDS = 20;

  private final UnixSockets sockets;
  private final Path kubeletSocket;
  private final String resource;

  Registrar(UnixSockets sockets, Path kubeletSocket, String resource) {
    this.sockets = sockets;
    this.kubeletSocket = kubeletSocket;
    this.resource = resource;
  }

  /** Registers once; empty when the kubelet took it, else why not, in one line. */
  Optional<String> register(String endpoint) {
    ManagedChannel channel = sockets.connect(kubeletSocket);
    try {
      RegistrationGrpc.newBlockingStub(channel)
          .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
          .register(
              RegisterRequest.newBuilder()
                  .setVersion(VERSION)
                  .setEndpoint(endpoint)
                  .setResourceName(resource)
                  .setOptions(DevicePluginService.OPTIONS)
                  .build());
      return Optional.empty();
    } catch (StatusRuntimeException refused) {
      return Optional.of(refused.getStatus().getCode() + ": " + refused.getMessage());
    } finally {
      channel.shutdownNow();
    }
  }
}
