package io.gpumem.plugin.kubelet;

import io.gpumem.core.units.DeviceId;
import io.gpumem.core.units.PodName;
import io.gpumem.plugin.allocate.Reading;
import io.gpumem.proto.podresources.v1.ContainerDevices;
import io.gpumem.proto.podresources.v1.ContainerResources;
import io.gpumem.proto.podresources.v1.GetPodResourcesRequest;
import io.gpumem.proto.podresources.v1.ListPodResourcesRequest;
import io.gpumem.proto.podresources.v1.PodResourcesListerGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Reads the kubelet's table over its pod-resources socket.
 *
 * <p>The kubelet gives one entry per device ID, repeated for each NUMA node of the device, in
 * random order: only the union by resource name means anything. It knows pods by name alone, and
 * skips ordinary init containers. {@code List} has a side effect (it frees the devices of ended
 * pods, and can drop the picks of an Allocate in flight); {@code Get} has none.
 *
 * <p>Source: pkg/kubelet/apis/podresources/server_v1.go. Thread-safe.
 */
public final class PodResources implements PodTable, AutoCloseable {

  private final UnixSockets sockets;
  private final Path socket;
  private final String resource;
  private final LongSupplier nanos;
  private volatile ManagedChannel channel;

  public PodResources(UnixSockets sockets, Path socket, String resource, LongSupplier nanos) {
    this.sockets = sockets;
    this.socket = socket;
    this.channel = sockets.connect(socket);
    this.resource = resource;
    this.nanos = nanos;
  }

  @Override
  public Listed list(Duration limit) {
    long begun = nanos.getAsLong();
    try {
      var response =
          PodResourcesListerGrpc.newBlockingStub(channel)
              .withDeadlineAfter(limit.toMillis(), TimeUnit.MILLISECONDS)
              .list(ListPodResourcesRequest.getDefaultInstance());
      List<Reading> readings = new ArrayList<>();
      for (var pod : response.getPodResourcesList()) {
        PodName name = new PodName(pod.getNamespace(), pod.getName());
        readings.add(reading(name, pod.getContainersList(), resource, begun));
      }
      return new Listed.Table(readings);
    } catch (StatusRuntimeException failed) {
      connectAnewUnlessReached(failed.getStatus());
      return new Listed.Failed(failed.getStatus().getCode() + ": " + failed.getMessage());
    }
  }

  @Override
  public Held ask(PodName pod, Duration limit) {
    long begun = nanos.getAsLong();
    try {
      var response =
          PodResourcesListerGrpc.newBlockingStub(channel)
              .withDeadlineAfter(Math.max(1, limit.toMillis()), TimeUnit.MILLISECONDS)
              .get(
                  GetPodResourcesRequest.newBuilder()
                      .setPodNamespace(pod.namespace())
                      .setPodName(pod.name())
                      .build());
      return new Held.Listed(
          reading(pod, response.getPodResources().getContainersList(), resource, begun));
    } catch (StatusRuntimeException failed) {
      connectAnewUnlessReached(failed.getStatus());
      return ofFailure(failed.getStatus());
    }
  }

  /**
   * A channel waits longer and longer before it connects again, two minutes in the end, and fails
   * every call meanwhile: after a kubelet that was away we would be blind for as long. Who calls us
   * paces himself.
   */
  private synchronized void connectAnewUnlessReached(Status status) {
    if (status.getCode() == Status.Code.UNAVAILABLE && !channel.isShutdown()) {
      channel.shutdown();
      channel = sockets.connect(socket);
    }
  }

  /** The kubelet answers an unknown pod with a plain error of its own text, status Unknown. */
  private static Held ofFailure(Status status) {
    String text = String.valueOf(status.getDescription());
    boolean gone =
        status.getCode() == Status.Code.NOT_FOUND
            || (status.getCode() == Status.Code.UNKNOWN && text.contains("not found"));
    if (gone) {
      return new Held.Gone();
    }
    boolean noGet =
        status.getCode() == Status.Code.UNIMPLEMENTED
            || (status.getCode() == Status.Code.UNKNOWN && text.contains("disabled"));
    return new Held.Unknown(noGet ? NO_GET : status.getCode() + ": " + text);
  }

  /** What the kubelet's entry of a pod says of our resource; what is no ID of ours is left out. */
  public static Reading reading(
      PodName pod, List<ContainerResources> containers, String resource, long begunNanos) {
    Map<String, Set<DeviceId>> ids = new HashMap<>();
    for (ContainerResources container : containers) {
      for (ContainerDevices devices : container.getDevicesList()) {
        if (devices.getResourceName().equals(resource)) {
          for (String text : devices.getDeviceIdsList()) {
            DeviceId.parse(text)
                .ifPresent(
                    id -> ids.computeIfAbsent(container.getName(), c -> new HashSet<>()).add(id));
          }
        }
      }
    }
    return new Reading(pod, ids, begunNanos);
  }

  @Override
  public synchronized void close() {
    channel.shutdownNow();
  }
}
