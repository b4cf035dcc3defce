package io.gpumem.plugin.kubelet.fake;

import com.google.protobuf.Message;
import io.gpumem.proto.podresources.v1.AllocatableResourcesRequest;
import io.gpumem.proto.podresources.v1.AllocatableResourcesResponse;
import io.gpumem.proto.podresources.v1.GetPodResourcesRequest;
import io.gpumem.proto.podresources.v1.GetPodResourcesResponse;
import io.gpumem.proto.podresources.v1.ListPodResourcesRequest;
import io.gpumem.proto.podresources.v1.ListPodResourcesResponse;
import io.gpumem.proto.podresources.v1.PodResourcesListerGrpc;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.Instant;

/** The kubelet's pod resources, behind the rate limit that all its clients share. */
final class PodResourcesService extends PodResourcesListerGrpc.PodResourcesListerImplBase {
  /** The kubelet's own (apis/podresources/constants.go). */
  private static final double CALLS_PER_SECOND = 100;

  private static final double CALLS_AT_ONCE = 10;

  private final KubeletCore core;
  private final KubeletFaults faults;
  private final CallLog log;
  private final TokenBucket limit =
      new TokenBucket(CALLS_PER_SECOND, CALLS_AT_ONCE, System::nanoTime);

  PodResourcesService(KubeletCore core, KubeletFaults faults, CallLog log) {
    this.core = core;
    this.faults = faults;
    this.log = log;
  }

  private interface Reading<T> {
    T read() throws StatusException;
  }

  @Override
  public void list(
      ListPodResourcesRequest request, StreamObserver<ListPodResourcesResponse> observer) {
    answer(KubeletCall.Method.LIST, request, observer, core::list);
  }

  @Override
  public void get(
      GetPodResourcesRequest request, StreamObserver<GetPodResourcesResponse> observer) {
    answer(
        KubeletCall.Method.GET,
        request,
        observer,
        () ->
            core.get(request.getPodNamespace(), request.getPodName())
                .map(pod -> GetPodResourcesResponse.newBuilder().setPodResources(pod).build())
                .orElseThrow(
                    () ->
                        Status.UNKNOWN
                            .withDescription(
                                "pod %s in namespace %s not found"
                                    .formatted(request.getPodName(), request.getPodNamespace()))
                            .asException()));
  }

  @Override
  public void getAllocatableResources(
      AllocatableResourcesRequest request, StreamObserver<AllocatableResourcesResponse> observer) {
    answer(
        KubeletCall.Method.GET_ALLOCATABLE_RESOURCES,
        request,
        observer,
        core::allocatableResources);
  }

  private <T extends Message> void answer(
      KubeletCall.Method method, Message request, StreamObserver<T> observer, Reading<T> reading) {
    // A client that gave up waiting must not make the answer throw.
    ((ServerCallStreamObserver<T>) observer).setOnCancelHandler(() -> {});
    Instant startedAt = Instant.now();
    long before = System.nanoTime();
    PluginAnswer<T> answer;
    try {
      if (!limit.allow()) {
        throw Status.RESOURCE_EXHAUSTED.withDescription("rejected by rate limit").asException();
      }
      faults.onPodResources();
      T value = reading.read();
      answer = PluginAnswer.given(value);
      observer.onNext(value);
      observer.onCompleted();
    } catch (StatusException e) {
      answer =
          PluginAnswer.refused(
              StatusCodes.inGo(e.getStatus().getCode()),
              String.valueOf(e.getStatus().getDescription()));
      observer.onError(e);
    }
    Duration took = Duration.ofNanos(System.nanoTime() - before);
    log.add(new KubeletCall(method, "pod-resources", request, answer, startedAt, took));
  }
}
