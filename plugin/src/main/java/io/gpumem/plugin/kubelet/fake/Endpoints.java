package io.gpumem.plugin.kubelet.fake;

import io.gpumem.proto.deviceplugin.v1beta1.AllocateRequest;
import io.gpumem.proto.deviceplugin.v1beta1.AllocateResponse;
import io.gpumem.proto.deviceplugin.v1beta1.DevicePluginOptions;
import io.gpumem.proto.deviceplugin.v1beta1.PreStartContainerRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreStartContainerResponse;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpumem.proto.deviceplugin.v1beta1.PreferredAllocationResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The plugin of each resource: at most one, the last that registered. A stopped one stays in its
 * place and refuses every call, until another registers or its grace period is over.
 */
final class Endpoints {
  private final Map<String, Entry> entries = new HashMap<>();

  /** A resource's plugin, the options it told, and the socket it registered with. */
  record Entry(
      PluginEndpoint plugin,
      DevicePluginOptions options,
      String socket,
      Optional<Instant> stoppedAt) {}

  synchronized void put(
      String resource, String socket, PluginEndpoint plugin, DevicePluginOptions options) {
    entries.put(resource, new Entry(plugin, options, socket, Optional.empty()));
  }

  synchronized Optional<Entry> of(String resource) {
    return Optional.ofNullable(entries.get(resource));
  }

  /** After a restart: the resource is known, its plugin has not come back yet. */
  synchronized void putStopped(String resource, Instant at) {
    entries.put(
        resource,
        new Entry(
            new Stopped(resource), DevicePluginOptions.getDefaultInstance(), "", Optional.of(at)));
  }

  /** Stops the resource's plugin, whoever it is now. Says whether there was one. */
  synchronized boolean stop(String resource, Instant at) {
    Optional<Entry> entry = of(resource);
    entry.ifPresent(
        running ->
            entries.put(
                resource,
                new Entry(
                    new Stopped(resource), running.options(), running.socket(), Optional.of(at))));
    return entry.isPresent();
  }

  /** Removes and returns the resources whose plugin has been stopped for longer than the grace. */
  synchronized List<String> expire(Instant now, Duration grace) {
    List<String> expired = new ArrayList<>();
    entries.forEach(
        (resource, entry) -> {
          if (entry.stoppedAt().map(at -> at.plus(grace).isBefore(now)).orElse(false)) {
            expired.add(resource);
          }
        });
    expired.forEach(entries::remove);
    return expired;
  }

  /** Refuses everything, as the kubelet does on the plugin's behalf. */
  private record Stopped(String resource) implements PluginEndpoint {
    @Override
    public PluginAnswer<PreferredAllocationResponse> getPreferredAllocation(
        PreferredAllocationRequest request) {
      return refusal();
    }

    @Override
    public PluginAnswer<AllocateResponse> allocate(AllocateRequest request) {
      return refusal();
    }

    @Override
    public PluginAnswer<PreStartContainerResponse> preStartContainer(
        PreStartContainerRequest request) {
      return refusal();
    }

    private <T> PluginAnswer<T> refusal() {
      return new PluginAnswer.Refused<>("", "endpoint " + resource + " has been stopped");
    }
  }
}
