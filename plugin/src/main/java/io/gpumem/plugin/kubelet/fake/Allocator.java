package io.gpumem.plugin.kubelet.fake;

import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * Gets one container its devices: select, ask the plugin's preference, book, Allocate, record. Two
 * callers may be in it at once, admission and the start of another pod's container, and nothing
 * here keeps them apart; the kubelet doesn't either.
 */
final class Allocator {

  /** What the allocator asks about pods; answered anew at each question. */
  interface Pods {
    boolean isActive(String podUid);

    /** False while a starting kubelet has not yet seen all its pods. */
    boolean sourcesReady();

    /** Whether the runtime reported the container running when the kubelet started. */
    boolean wasRunning(String podUid, String container);
  }

  private final DeviceTable table;
  private final Endpoints endpoints;
  private final Pods pods;
  private final Runnable checkpoint;
  private final Findings findings;
  private final Random random;
  private final ReusePools pools = new ReusePools();

  Allocator(
      DeviceTable table,
      Endpoints endpoints,
      Pods pods,
      Runnable checkpoint,
      Findings findings,
      Random random) {
    this.table = table;
    this.endpoints = endpoints;
    this.pods = pods;
    this.checkpoint = checkpoint;
    this.findings = findings;
    this.random = random;
  }

  /** Allocates all that the container asks for; the text of the refusal, if there was one. */
  Optional<String> allocate(KubeletPod pod, KubeletContainer container) {
    pools.enter(pod.uid());
    boolean swept = false;
    boolean changed = false;
    for (String resource : shuffled(container.requests().keySet())) {
      if (!table.isPluginResource(resource)) {
        continue;
      }
      if (!swept) {
        removeInactive();
        swept = true;
      }
      int units = container.requests().getOrDefault(resource, 0);
      Need need = new Need(pod.uid(), container.name(), resource, units);
      switch (select(need)) {
        case Selection.Nothing _ -> {}
        case Selection.Refused(String text) -> {
          return Optional.of(text);
        }
        case Selection.Complete(Set<String> ids) -> {
          Optional<String> refusal = grant(need, ids);
          if (refusal.isPresent()) {
            return refusal;
          }
          changed = true;
        }
        case Selection.Undecided undecided ->
            throw new IllegalStateException("expected a decision but was " + undecided);
      }
    }
    if (changed) {
      checkpoint.run();
    }
    pools.leave(pod.uid(), container.kind(), table.allocations(pod.uid(), container.name()));
    return Optional.empty();
  }

  /** Drops what pods that are not active hold; a starting kubelet can't know and does nothing. */
  void removeInactive() {
    if (pods.sourcesReady()) {
      table.removeInactive(pods::isActive);
    }
  }

  private Selection select(Need need) {
    boolean acceptUnchecked =
        !pods.sourcesReady() && pods.wasRunning(need.podUid(), need.container());
    Set<String> reusable = pools.devices(need.podUid(), need.resource());
    Selection first = table.select(need, reusable, acceptUnchecked);
    if (!(first instanceof Selection.Undecided undecided)) {
      return first;
    }
    return switch (preferred(undecided)) {
      case PluginAnswer.Given<Set<String>>(Set<String> ids) -> table.finish(undecided, ids);
      // What was picked before the call stays booked by nobody: the kubelet's leak, kept.
      case PluginAnswer.Refused<Set<String>>(_, String text) -> new Selection.Refused(text);
    };
  }

  /** The plugin's preference; the size asked for is the container's whole request. */
  private PluginAnswer<Set<String>> preferred(Selection.Undecided undecided) {
    String resource = undecided.need().resource();
    Optional<Endpoints.Entry> entry = endpoints.of(resource);
    if (entry.isEmpty()) {
      return new PluginAnswer.Refused<>(
          "", "endpoint not found in cache for a registered resource: " + resource);
    }
    if (!entry.get().options().getGetPreferredAllocationAvailable()) {
      return PluginAnswer.given(Set.of());
    }
    Set<String> offered = new HashSet<>(undecided.available());
    offered.addAll(undecided.taken());
    var request =
        PreferredAllocationRequest.newBuilder()
            .addContainerRequests(
                ContainerPreferredAllocationRequest.newBuilder()
                    .addAllAvailableDeviceIDs(shuffled(offered))
                    .addAllMustIncludeDeviceIDs(shuffled(undecided.taken()))
                    .setAllocationSize(undecided.need().units()))
            .build();
    return switch (entry.get().plugin().getPreferredAllocation(request)) {
      case PluginAnswer.Given<PreferredAllocationResponse>(PreferredAllocationResponse response) ->
          PluginAnswer.given(
              response.getContainerResponsesCount() == 0
                  ? Set.of()
                  : Set.copyOf(
                      new HashSet<>(response.getContainerResponses(0).getDeviceIDsList())));
      case PluginAnswer.Refused<PreferredAllocationResponse>(String code, String text) ->
          new PluginAnswer.Refused<>(
              code, "device plugin GetPreferredAllocation rpc failed with err: " + text);
    };
  }

  private Optional<String> grant(Need need, Set<String> ids) {
    Optional<Endpoints.Entry> entry = endpoints.of(need.resource());
    if (entry.isEmpty()) {
      table.rebook();
      return Optional.of("unknown Device Plugin " + need.resource());
    }
    var request =
        AllocateRequest.newBuilder()
            .addContainerRequests(
                ContainerAllocateRequest.newBuilder().addAllDevicesIds(shuffled(ids)))
            .build();
    return switch (entry.get().plugin().allocate(request)) {
      case PluginAnswer.Refused<AllocateResponse>(_, String text) -> {
        table.rebook();
        yield Optional.of(text);
      }
      case PluginAnswer.Given<AllocateResponse>(AllocateResponse response) -> {
        if (response.getContainerResponsesCount() == 0) {
          // Not un-booked either: the same leak.
          yield Optional.of("no containers return in allocation response &AllocateResponse{}");
        }
        record(need, ids, response.getContainerResponses(0));
        yield Optional.empty();
      }
    };
  }

  private void record(Need need, Set<String> ids, ContainerAllocateResponse response) {
    Set<String> vanished = table.record(need, ids, response);
    if (!vanished.isEmpty()) {
      findings.violation(
          "devices left the list while an Allocate was in flight, a kubelet can crash on it: "
              + vanished);
    }
  }

  private List<String> shuffled(Collection<String> texts) {
    List<String> list = new ArrayList<>(new TreeSet<>(texts));
    Collections.shuffle(list, random);
    return list;
  }
}
