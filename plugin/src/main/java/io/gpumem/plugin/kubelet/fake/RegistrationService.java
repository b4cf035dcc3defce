package io.gpumem.plugin.kubelet.fake;

import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpumem.proto.deviceplugin.v1beta1.Empty;
import io.gpumem.proto.deviceplugin.v1beta1.RegisterRequest;
import io.gpumem.proto.deviceplugin.v1beta1.RegistrationGrpc;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The kubelet's registration: checks the request, dials the plugin back, and answers only then. It
 * is stricter than the kubelet in one thing: the endpoint must be a bare file name, while the
 * kubelet would follow {@code ../} too.
 */
final class RegistrationService extends RegistrationGrpc.RegistrationImplBase {
  private static final String VERSION = "v1beta1";

  private final Path directory;
  private final PluginClients clients;
  private final KubeletFaults faults;
  private final ContractChecks checks;
  private final CallLog log;

  RegistrationService(
      Path directory,
      PluginClients clients,
      KubeletFaults faults,
      ContractChecks checks,
      CallLog log) {
    this.directory = directory;
    this.clients = clients;
    this.faults = faults;
    this.checks = checks;
    this.log = log;
  }

  @Override
  public void register(RegisterRequest request, StreamObserver<Empty> observer) {
    // A plugin that gave up waiting must not make the answer throw.
    ((ServerCallStreamObserver<Empty>) observer).setOnCancelHandler(() -> {});
    Instant startedAt = Instant.now();
    long before = System.nanoTime();
    PluginAnswer<Empty> answer = answer(request);
    Duration took = Duration.ofNanos(System.nanoTime() - before);
    log.add(
        new KubeletCall(
            KubeletCall.Method.REGISTER,
            request.getResourceName(),
            request,
            answer,
            startedAt,
            took));
    switch (answer) {
      case PluginAnswer.Given<Empty>(Empty empty) -> {
        observer.onNext(empty);
        observer.onCompleted();
      }
      case PluginAnswer.Refused<Empty>(String code, String text) ->
          observer.onError(
              (code.equals("Unavailable") ? Status.UNAVAILABLE : Status.UNKNOWN)
                  .withDescription(text)
                  .asException());
    }
  }

  private PluginAnswer<Empty> answer(RegisterRequest request) {
    try {
      faults.onRegister();
    } catch (StatusException e) {
      return new PluginAnswer.Refused<>(
          StatusCodes.inGo(e.getStatus().getCode()),
          String.valueOf(e.getStatus().getDescription()));
    }
    Optional<String> flaw = flaw(request);
    if (flaw.isPresent()) {
      return new PluginAnswer.Refused<>("Unknown", flaw.get());
    }
    Path socket = directory.resolve(request.getEndpoint());
    return switch (clients.connect(request.getResourceName(), socket)) {
      case PluginAnswer.Refused<DevicePluginOptions>(_, String text) ->
          new PluginAnswer.Refused<>("Unknown", text);
      case PluginAnswer.Given<DevicePluginOptions>(DevicePluginOptions options) -> {
        checks.options(request.getOptions(), options);
        yield PluginAnswer.given(Empty.getDefaultInstance());
      }
    };
  }

  private static Optional<String> flaw(RegisterRequest request) {
    if (!request.getVersion().equals(VERSION)) {
      return Optional.of(
          "requested API version \"%s\" is not supported by kubelet. Supported version is [\"%s\"]"
              .formatted(request.getVersion(), VERSION));
    }
    if (!ExtendedResourceName.isLegal(request.getResourceName())) {
      return Optional.of("the ResourceName \"%s\" is invalid".formatted(request.getResourceName()));
    }
    String endpoint = request.getEndpoint();
    if (endpoint.isEmpty()
        || endpoint.contains("/")
        || endpoint.equals("..")
        || endpoint.equals(".")) {
      return Optional.of("expected a bare file name but was \"%s\"".formatted(endpoint));
    }
    return Optional.empty();
  }
}
